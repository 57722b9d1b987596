/* springs.h - torsional springs at the corners of triangles (Farhat et al. 1998; theory,
 * section 3), assembled by rows: each row gathers from the triangles of its node (Ma et al.,
 * Algorithm 1), so nothing is written twice.                                                    */

/* A spoke from node i to j: e the edge, g = (-e_y, e_x)/|e|^2 the rate of its direction's angle with
 * the displacement of j, l = |e|^2.                                                             */
struct spoke {
  struct vec2 e, g;
  f64         l;
};

HD struct spoke spoke_of(struct vec2 e)
{
  struct spoke s;
  const f64    l = dot(e, e), per = 1 / l;
  s.e = e, s.l = l, s.g = vec2_of(-e.y * per, e.x * per);
  return s;
}

/* C = 1/sin^2 of the angles at i, j, k of a triangle (eq. 3.3). */
HD void spring_stiffness(struct spoke ij, struct spoke ik, f64 ljk, f64 *C)
{
  const f64 twice = cross(ij.e, ik.e), per = 1 / (twice * twice);
  C[0] = ij.l * ik.l * per, C[1] = ij.l * ljk * per, C[2] = ik.l * ljk * per;
}

/* a += f u v^T, a by columns. */
HD void spring_add(f64 *a, f64 f, struct vec2 u, struct vec2 v)
{
  a[0] += f * u.x * v.x, a[1] += f * u.y * v.x, a[2] += f * u.x * v.y, a[3] += f * u.y * v.y;
}

/* Diagonal block of i from triangle (i, j, k): K = R^T C R of eq. 3.4, in the angles' own terms. */
HD void spring_diagonal(struct spoke ij, struct spoke ik, f64 *ii)
{
  const struct vec2 jk = minus(ik.e, ij.e), turn = minus(ik.g, ij.g);
  f64               C[3];
  spring_stiffness(ij, ik, dot(jk, jk), C);
  spring_add(ii, C[0], turn, turn);
  spring_add(ii, C[1], ij.g, ij.g);
  spring_add(ii, C[2], ik.g, ik.g);
}

/* Blocks (i, j) and (i, k) of the same triangle; hij, hik: inverse of D times g. */
HD void spring_blocks(struct spoke ij, struct spoke ik, struct vec2 hij, struct vec2 hik, f64 *toj, f64 *tok)
{
  const struct spoke jk = spoke_of(minus(ik.e, ij.e));
  f64                C[3];
  spring_stiffness(ij, ik, jk.l, C);
  const struct vec2 a   = vec2_of(C[1] * (ij.g.x + jk.g.x), C[1] * (ij.g.y + jk.g.y));
  const struct vec2 b   = vec2_of(C[2] * (ik.g.x - jk.g.x), C[2] * (ik.g.y - jk.g.y));
  const struct vec2 cij = vec2_of(C[0] * ij.g.x, C[0] * ij.g.y), cik = vec2_of(C[0] * ik.g.x, C[0] * ik.g.y);
  const struct vec2 ajk = vec2_of(C[1] * jk.g.x, C[1] * jk.g.y), bjk = vec2_of(C[2] * jk.g.x, C[2] * jk.g.y);
  spring_add(toj, -1, hij, vec2_of(a.x + cij.x, a.y + cij.y));
  spring_add(toj, 1, hik, minus(cij, bjk));
  spring_add(tok, 1, hij, vec2_of(cik.x + ajk.x, cik.y + ajk.y));
  spring_add(tok, -1, hik, vec2_of(b.x + cik.x, b.y + cik.y));
}

HD struct vec2 spring_apply(const f64 *a, struct vec2 v)
{
  return vec2_of(a[0] * v.x + a[2] * v.y, a[1] * v.x + a[3] * v.y);
}

HD void spring_put(real *to, const f64 *block, i32 add)
{
  f64 sum[4];
  for (i32 k = 0; k < 4; k++) sum[k] = add ? (f64)to[k] + block[k] : block[k];
  store4(to, sum);
}

/* The triangles around a row's node are runs of spokes, each neighbour once, the first again at the
 * end of a closed run: every block of a row with one run is then written once, whole.  The row is
 * scaled by the inverse of its diagonal block D, so that residuals are those that the springs stop
 * on (eq. 3.6); rows of fixed nodes are those of the unit matrix.                                */
#define SPRING_ROWS(F)                                          \
  F(in, i32, node, "rows>nodes!")                               \
  F(in, i32, member, "nodes>members")                           \
  F(in, f64, x, "nodes,2")                                      \
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
KERNEL(spring_rows, SPRING_ROWS, heavy)
{
  const i32         a = node[i], from = fans[i], to = fixed[a] ? from : fans[i + 1];
  const struct vec2 at    = point(x, a);
  f64               ii[4] = {0, 0, 0, 0}, one[4] = {1, 0, 0, 1};
  for (i32 r = from; r < to; r++) {
    struct spoke last = spoke_of(minus(point(x, other[runs[r]]), at));
    for (i32 s = runs[r] + 1; s < runs[r + 1]; s++) {
      const struct spoke next = spoke_of(minus(point(x, other[s]), at));
      spring_diagonal(last, next, ii);
      last = next;
    }
  }
  if (to == from) ii[0] = ii[3] = 1;
  const f64 det = ii[0] * ii[3] - ii[1] * ii[2], per = 1 / det;
  if (!(det > 0)) fault(&faults[member[a]], FAULT_PIVOT, a);
  const f64 inverse[4] = {ii[3] * per, -ii[1] * per, -ii[2] * per, ii[0] * per};
  store4(D + 4 * i, ii);
  if (to != from + 1) /* blocks of several runs add up; a fixed row has none */
    for (i32 k = 4 * row[i]; k < 4 * row[i + 1]; k++) A[k] = 0;
  store4(A + 4 * diagonal[i], one);
  for (i32 r = from; r < to; r++) {
    const i32    begin = runs[r], end = runs[r + 1] - 1, closed = other[begin] == other[end];
    struct spoke last    = spoke_of(minus(point(x, other[begin]), at));
    struct vec2  hlast   = spring_apply(inverse, last.g);
    f64          here[4] = {0, 0, 0, 0}, first[4] = {0, 0, 0, 0};
    for (i32 s = begin + 1; s <= end; s++) {
      const struct spoke next     = spoke_of(minus(point(x, other[s]), at));
      const struct vec2  hnext    = spring_apply(inverse, next.g);
      f64                there[4] = {0, 0, 0, 0};
      spring_blocks(last, next, hlast, hnext, here, there);
      if (s == begin + 1 && closed)
        for (i32 k = 0; k < 4; k++) first[k] = here[k]; /* the last triangle adds to it */
      else
        spring_put(A + 4 * slot[s - 1], here, to != from + 1);
      for (i32 k = 0; k < 4; k++) here[k] = there[k];
      last = next, hlast = hnext;
    }
    for (i32 k = 0; k < 4; k++) here[k] += first[k];
    spring_put(A + 4 * slot[end], here, to != from + 1);
  }
}

/* First guess of the displacements, and the given ones alone: 2 d^n - d^(n-1) inside. */
#define SPRING_GUESS(F)                                                        \
  F(in, i32, node, "rows>nodes!")                                              \
  F(in, i32, fixed, "nodes")                                                   \
  F(in, f64, x, "nodes,2")                                                     \
  F(in, f64, target, "nodes,2") /* where fixed nodes go */                     \
  F(in, i32, member, "nodes>members")                                          \
  F(in, f64, history, "members,2") /* factors of the last two displacements */ \
  F(in, real, d1, "rows,2")                                                    \
  F(in, real, d2, "rows,2")                                                    \
  F(out, real, guess, "rows,2")                                                \
  F(out, real, given, "rows,2")
LANES(spring_guess, SPRING_GUESS, indirect, 2)
{
  const i32  a = node[i];
  const f64 *c = history + 2 * member[a];
  for (i32 k = lane; k < lane + WIDTH(2); k++) {
    const real to    = (real)(target[2 * a + k] - x[2 * a + k]);
    guess[2 * i + k] = fixed[a] ? to : (real)c[0] * d1[2 * i + k] + (real)c[1] * d2[2 * i + k];
    given[2 * i + k] = fixed[a] ? to : R(0);
  }
}

/* Right-hand side -K d with nothing asked of fixed rows. */
#define SPRING_SIDE(F)            \
  F(in, i32, node, "rows>nodes!") \
  F(in, i32, fixed, "nodes")      \
  F(in, real, Kd, "rows,2")       \
  F(out, real, side, "rows,2")
LANES(spring_side, SPRING_SIDE, indirect, 2)
{
  for (i32 k = lane; k < lane + WIDTH(2); k++) side[2 * i + k] = fixed[node[i]] ? R(0) : -Kd[2 * i + k];
}

/* x += d, fixed nodes to their place; the displacements move up one level. */
#define SPRING_MOVE(F)                                          \
  F(in, i32, node, "rows>nodes!")                               \
  F(in, i32, member, "nodes>members")                           \
  F(in, i32, active, "members")                                 \
  F(in, i32, fixed, "nodes")                                    \
  F(in, f64, target, "nodes,2")                                 \
  F(in, real, guess, "rows,2")                                  \
  F(in, real, e, "rows,2") /* solved correction of the guess */ \
  F(rw, f64, x, "nodes,2")                                      \
  F(rw, real, d1, "rows,2")                                     \
  F(out, real, d2, "rows,2")
LANES(spring_move, SPRING_MOVE, indirect, 2)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  for (i32 k = lane; k < lane + WIDTH(2); k++) {
    const real d  = guess[2 * i + k] + e[2 * i + k];
    d2[2 * i + k] = d1[2 * i + k];
    d1[2 * i + k] = d;
    x[2 * a + k]  = fixed[a] ? target[2 * a + k] : x[2 * a + k] + (f64)d;
  }
}

/* Of the members with a mark only. */
#define COPY_MARKED(F)                \
  F(in, i32, member, "items>members") \
  F(in, i32, mark, "members")         \
  F(in, f64, from, "items,2")         \
  F(rw, f64, to, "items,2")
LANES(copy_marked, COPY_MARKED, indirect, 2)
{
  if (!mark[member[i]]) return;
  for (i32 k = 2 * i + lane; k < 2 * i + lane + WIDTH(2); k++) to[k] = from[k];
}
