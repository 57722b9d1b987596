/* springs.h - torsional springs at the corners of triangles (Farhat et al. 1998; docs/theory.md, section
 * 3), assembled by rows: each row gathers from the triangles of its node (Ma et al., Algorithm 1),
 * so nothing is written twice; in the plane alone.  Displacements in chords.                     */

/* The lanes' columns of the blocks (i, j) and (i, k) of the same triangle, as they add up. */
HD void spring_blocks(struct spoke ij, struct spoke ik, i32 lane, struct vec2 *toj, struct vec2 *tok)
{
  const struct corner t    = corner_of(ij, ik);
  const struct vec2   jk   = minus(ik.e, ij.e);
  const struct vec2   both = vec2_of(-t.per * (ij.e.y + ik.e.y), t.per * (ij.e.x + ik.e.x));
  for (i32 c = 0; c < WIDTH(2); c++) {
    const f64 gij = vec2_pick(ij.g, lane + c), gik = vec2_pick(ik.g, lane + c);
    const f64 pjk = lane + c ? jk.x : -jk.y;
    spring_column(toj + c, t.turn, t.C[0] * gij);
    spring_column(toj + c, ij.g, -t.C[1] * gij);
    spring_column(toj + c, both, -pjk);
    spring_column(tok + c, t.turn, -t.C[0] * gik);
    spring_column(tok + c, ik.g, -t.C[2] * gik);
    spring_column(tok + c, both, pjk);
  }
}

/* Columns of a block, scaled, to its place. */
HD void spring_put(real *to, i32 lane, const f64 *scale, const struct vec2 *column, i32 add)
{
  for (i32 c = 0; c < WIDTH(2); c++) {
    real             *at = to + ENTRY(2, 0, lane + c), v[2] = {R(0), R(0)};
    const struct vec2 it = spring_apply(scale, column[c]);
    if (add) LOAD(2, at, v);
    v[0] = (real)((f64)v[0] + it.x), v[1] = (real)((f64)v[1] + it.y);
    PUT(2, at, v);
  }
}

/* Diagonal block of a node at `at` from the triangles of its runs. */
HD void spring_sum(const f64 *x, const i32 *runs, const i32 *other, i32 from, i32 to, struct vec2 at, f64 *ii)
{
  for (i32 r = from; r < to; r++) {
    struct spoke last = spoke_of(minus(point(x, other[runs[r]]), at));
    for (i32 s = runs[r] + 1; s < runs[r + 1]; s++) {
      const struct spoke next = spoke_of(minus(point(x, other[s]), at));
      spring_diagonal(last, next, ii);
      last = next;
    }
  }
}

/* The triangles around a row's node are runs of spokes, each neighbour once, the first again at the
 * end of a closed run: every block of a row with one run is then written once, whole.  The row is
 * scaled by the inverse of its diagonal block D, so that residuals are those that the springs stop
 * on (eq. 3.6); rows of fixed nodes are those of the unit matrix.                                */
#define SPRING_ROWS(F)                                          \
  F(in, i32, node, "rows>nodes!")                               \
  F(in, i32, member, "nodes>members")                           \
  F(near, f64, x, "nodes,2")                                    \
  F(in, i32, fixed, "nodes") /* 1: displacement is given */     \
  F(in, i32, row, "rows+1>>blocks")                             \
  F(in, i32, diagonal, "rows>blocks!")                          \
  F(in, i32, fans, "rows+1>>runs")   /* runs of a row's node */ \
  F(in, i32, runs, "runs+1>>spokes") /* spokes of a run */      \
  F(in, i32, other, "spokes>nodes")  /* where a spoke ends */   \
  F(in, i32, slot, "spokes>blocks")  /* its block in the row */ \
  F(out, real, D, "rows,4")                                     \
  F(out, real, A, "blocks,4")                                   \
  F(inc, u64, faults, "members")
LANES(spring_rows, SPRING_ROWS, busy, 2)
{
  const i32         a = node[i], from = fans[i], to = fixed[a] ? from : fans[i + 1];
  const struct vec2 at      = point(x, a);
  f64               ii[3]   = {0, 0, 0};
  const f64         unit[3] = {1, 0, 1};
  struct vec2       one[WIDTH(2)];
  spring_sum(x, runs, other, from, to, at, ii);
  if (to == from) ii[0] = ii[2] = 1;
  const f64 det = ii[0] * ii[2] - ii[1] * ii[1], per = 1 / det;
  if (lane == 0 && !(det > 0)) fault(&faults[member[a]], FAULT_PIVOT, a);
  const f64 inverse[3] = {ii[2] * per, -ii[1] * per, ii[0] * per};
  for (i32 c = 0; c < WIDTH(2); c++) one[c] = vec2_of(lane + c == 0, lane + c == 1);
  spring_put(D + 4 * i, lane, ii, one, 0);
  if (to != from + 1) /* blocks of several runs add up; a fixed row has none */
    for (i32 b = row[i]; b < row[i + 1]; b++)
      for (i32 k = 2 * lane; k < 2 * (lane + WIDTH(2)); k++) BLOCK_AT(A, 4, b)[k] = 0;
  spring_put(BLOCK_AT(A, 4, diagonal[i]), lane, unit, one, 0);
  for (i32 r = from; r < to; r++) {
    const i32    begin = runs[r], end = runs[r + 1] - 1, closed = other[begin] == other[end];
    struct spoke last = spoke_of(minus(point(x, other[begin]), at));
    struct vec2  here[WIDTH(2)], first[WIDTH(2)], there[WIDTH(2)];
    for (i32 c = 0; c < WIDTH(2); c++) here[c] = first[c] = vec2_of(0, 0);
    for (i32 s = begin + 1; s <= end; s++) {
      const struct spoke next = spoke_of(minus(point(x, other[s]), at));
      for (i32 c = 0; c < WIDTH(2); c++) there[c] = vec2_of(0, 0);
      spring_blocks(last, next, lane, here, there);
      if (s == begin + 1 && closed)
        for (i32 c = 0; c < WIDTH(2); c++) first[c] = here[c]; /* the last triangle adds to it */
      else
        spring_put(BLOCK_AT(A, 4, slot[s - 1]), lane, inverse, here, to != from + 1);
      for (i32 c = 0; c < WIDTH(2); c++) here[c] = there[c];
      last = next;
    }
    for (i32 c = 0; c < WIDTH(2); c++) spring_column(here + c, first[c], 1);
    spring_put(BLOCK_AT(A, 4, slot[end]), lane, inverse, here, to != from + 1);
  }
}
