/* springs_space.h - torsional springs of tetrahedra (physics/springs_space.h), gathered by edges from the tetrahedra
 * around each; then the rows, with their diagonal blocks, as they add up to nothing, and scaled by these.     */

/* Blocks of 32 edges, by columns, and where each stands in the rows of both of its ends. */
struct spring_batch {
  f64 block[32][9];
  i32 slot[32][2];
};

/* Sum over the tetrahedra around an edge of their blocks. */
HD void spring_around(const f64 *x, const i32 *ends, const i32 *across, i32 from, i32 until, f64 *to)
{
  const struct vec3 at = place_of(x, ends[0]), way = vec3_minus(place_of(x, ends[1]), at);
  for (i32 k = 0; k < 9; k++) to[k] = 0;
  for (i32 t = from; t < until; t++) {
    const struct vec3 p[3] = {way, vec3_minus(place_of(x, across[2 * t]), at),
                              vec3_minus(place_of(x, across[2 * t + 1]), at)};
    spring_pair(p, to);
  }
}

/* Blocks of both rows of 32 edges: a wedge is a tetrahedron on an edge, its other two corners.  Lanes find a block
 * each and store all of them number by number, as a device stores whole sectors at once: by themselves they take
 * twice the time (4.1 million nodes, H200: 12.8 and 6.3 ms, of which 4.4 are arithmetic). */
#define SPRING_EDGES(F)                 \
  F(in, i32, batch, "batches+1>>edges") \
  F(near, f64, x, "nodes,3")            \
  F(in, i32, ends, "edges,2>nodes")     \
  F(in, i32, ring, "edges+1>>wedges")   \
  F(in, i32, across, "wedges,2>nodes")  \
  F(in, i32, slot, "edges,2>blocks!")   \
  F(upd, real, A, "blocks,9")
TEAM(spring_edges_3d, SPRING_EDGES, wide, 32)
{
  TEAM_MEMORY(struct spring_batch, found);
  for (i32 first = batch[i]; first < batch[i + 1]; first += 32) {
    const i32 left = batch[i + 1] - first, count = left < 32 ? left : 32;
    for (i32 k = lane; k < count; k += PARTS(32)) {
      const i32 e = first + k;
      f64       to[9];
      spring_around(x, ends + 2 * e, across, ring[e], ring[e + 1], to);
      for (i32 c = 0; c < 9; c++) found->block[k][c] = to[c];
      for (i32 end = 0; end < 2; end++) found->slot[k][end] = slot[2 * e + end];
    }
    team_step();
    for (i32 k = lane; k < 9 * count; k += PARTS(32)) {
      const i32 e = k / 9, c = k % 9, turned = 3 * (c % 3) + c / 3;
      BLOCK_AT(A, 9, found->slot[e][0])[c]      = (real)found->block[e][c];
      BLOCK_AT(A, 9, found->slot[e][1])[turned] = (real)found->block[e][c];
    }
    team_step();
  }
}

/* a (1 - n n^T): nothing of what the column's node does across its plane of symmetry. */
HD void spring_along(f64 *a, const f64 *n)
{
  for (i32 r = 0; r < 3; r++) {
    const f64 across = a[r] * n[0] + a[3 + r] * n[1] + a[6 + r] * n[2];
    for (i32 c = 0; c < 3; c++) a[3 * c + r] -= across * n[c];
  }
}

/* (1 - n n^T) a. */
HD void spring_within(f64 *a, const f64 *n)
{
  for (i32 c = 0; c < 3; c++) {
    const f64 across = n[0] * a[3 * c] + n[1] * a[3 * c + 1] + n[2] * a[3 * c + 2];
    for (i32 r = 0; r < 3; r++) a[3 * c + r] -= across * n[r];
  }
}

/* Inverse of a symmetric block, by columns; returns its determinant. */
HD f64 spring_inverse(const f64 *a, f64 *to)
{
  const f64 xx = a[4] * a[8] - a[5] * a[5], xy = a[5] * a[2] - a[1] * a[8], xz = a[1] * a[5] - a[4] * a[2];
  const f64 det = a[0] * xx + a[1] * xy + a[2] * xz, per = 1 / det;
  to[0] = xx * per, to[1] = to[3] = xy * per, to[2] = to[6] = xz * per;
  to[4] = (a[0] * a[8] - a[2] * a[2]) * per;
  to[5] = to[7] = (a[1] * a[2] - a[0] * a[5]) * per;
  to[8]         = (a[0] * a[4] - a[1] * a[1]) * per;
  return det;
}

/* Diagonal block of a row from the sum of the others, as shifts cost nothing.  A node that slides along a plane of
 * symmetry keeps across it its own stiffness there, and nothing else; fixed ones have the unit matrix. */
HD void spring_own(f64 *own, const f64 *others, i32 fixed, i32 slides, const f64 *normal)
{
  for (i32 k = 0; k < 9; k++) own[k] = fixed ? k % 4 == 0 : -others[k];
  if (!slides) return;
  f64 across = 0;
  for (i32 k = 0; k < 9; k++) across += normal[k % 3] * own[k] * normal[k / 3];
  spring_along(own, normal), spring_within(own, normal);
  for (i32 k = 0; k < 9; k++) own[k] += across * normal[k % 3] * normal[k / 3];
}

/* Rows of the matrix, scaled by the inverse of their diagonal block D, so that residuals are those that the springs
 * stop on (eq. 3.6); columns of nodes that slide have nothing across their plane.  Eight lanes share a row, whose
 * blocks come from memory once (4.1 million nodes, H200: 5.5 ms; D and rows one after the other by single lanes 10.2). */
#define SPRING_ROWS_3D(F)                                            \
  F(in, i32, node, "rows>nodes!")                                    \
  F(in, i32, member, "nodes>members")                                \
  F(in, i32, fixed, "nodes")      /* 1: displacement is given */     \
  F(near, i32, slides, "nodes")   /* 1: along a plane of symmetry */ \
  F(in, f64, mirror, "members,3") /* unit normal of these planes */  \
  F(in, i32, row, "rows+1>>blocks")                                  \
  F(in, i32, column, "blocks>rows")                                  \
  F(in, i32, diagonal, "rows>blocks!")                               \
  F(out, real, D, "rows,9")                                          \
  F(rw, real, A, "blocks,9")                                         \
  F(inc, u64, faults, "members")
TEAM(spring_rows_3d, SPRING_ROWS_3D, indirect, 8)
{
  const i32  a = node[i], held = fixed[a], at = diagonal[i], end = row[i + 1];
  const f64 *normal    = mirror + 3 * member[a];
  f64        others[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, own[9], inverse[9];
  for (i32 b = row[i] + lane; !held && b < end; b += PARTS(8))
    for (i32 k = 0; b != at && k < 9; k++) others[k] += (f64)BLOCK_AT(A, 9, b)[k];
  for (i32 k = 0; k < 9; k++) others[k] = together_f64(others[k], 8);
  spring_own(own, others, held, slides[a], normal);
  const f64 det = spring_inverse(own, inverse);
  if (lane == 0 && !(det > 0)) fault(&faults[member[a]], FAULT_PIVOT, a);
  for (i32 k = 0; lane == 0 && k < 9; k++) D[9 * i + k] = (real)own[k];
  for (i32 b = row[i] + lane; b < end; b += PARTS(8)) {
    f64 block[9];
    for (i32 k = 0; k < 9; k++) block[k] = (f64)BLOCK_AT(A, 9, b)[k];
    if (slides[node[column[b]]]) spring_along(block, normal);
    if (slides[a]) spring_within(block, normal);
    for (i32 r = 0; r < 3; r++)
      for (i32 c = 0; c < 3; c++) {
        f64 s = 0;
        for (i32 k = 0; k < 3; k++) s += inverse[3 * k + r] * block[3 * c + k];
        BLOCK_AT(A, 9, b)[3 * c + r] = (real)(b == at ? r == c : held ? 0 : s);
      }
  }
}
