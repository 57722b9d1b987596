/* springs_space.h - torsional springs of tetrahedra (physics/springs_space.h), gathered by edges from the tetrahedra
 * around each; then diagonal blocks, as rows add up to nothing, and the rows scaled by them.        */

/* Blocks of both rows of an edge: a wedge is a tetrahedron on it, its other two corners. */
#define SPRING_EDGES(F)                \
  F(near, f64, x, "nodes,3")           \
  F(in, i32, ends, "edges,2>nodes")    \
  F(in, i32, ring, "edges+1>>wedges")  \
  F(in, i32, across, "wedges,2>nodes") \
  F(in, i32, slot, "edges,2>blocks!")  \
  F(upd, real, A, "blocks,9")
KERNEL(spring_edges_3d, SPRING_EDGES, wide)
{
  const struct vec3 at  = place_of(x, ends[2 * i]);
  const struct vec3 way = vec3_minus(place_of(x, ends[2 * i + 1]), at);
  f64               to[9];
  for (i32 k = 0; k < 9; k++) to[k] = 0;
  for (i32 t = ring[i]; t < ring[i + 1]; t++) {
    const struct vec3 p[3] = {way, vec3_minus(place_of(x, across[2 * t]), at),
                              vec3_minus(place_of(x, across[2 * t + 1]), at)};
    spring_pair(p, to);
  }
  real *one = A + 9 * slot[2 * i], *two = A + 9 * slot[2 * i + 1];
  UNROLL
  for (i32 r = 0; r < 3; r++)
    for (i32 c = 0; c < 3; c++) one[3 * c + r] = two[3 * r + c] = (real)to[3 * c + r];
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

/* Diagonal blocks of the rows: less the sum of the others, as shifts cost nothing.  A node that slides along a
 * plane of symmetry keeps across it its own stiffness there, and nothing else; fixed ones have the unit matrix. */
#define SPRING_DIAGONAL(F)                                           \
  F(in, i32, node, "rows>nodes!")                                    \
  F(in, i32, member, "nodes>members")                                \
  F(in, i32, fixed, "nodes")      /* 1: displacement is given */     \
  F(in, i32, slides, "nodes")     /* 1: along a plane of symmetry */ \
  F(in, f64, mirror, "members,3") /* unit normal of these planes */  \
  F(in, i32, row, "rows+1>>blocks")                                  \
  F(in, i32, diagonal, "rows>blocks!")                               \
  F(in, real, A, "blocks,9")                                         \
  F(out, real, D, "rows,9")
KERNEL(spring_diagonal_3d, SPRING_DIAGONAL, indirect)
{
  const i32 a = node[i];
  f64       own[9];
  for (i32 k = 0; k < 9; k++) own[k] = fixed[a] ? k % 4 == 0 : 0;
  for (i32 b = row[i]; !fixed[a] && b < row[i + 1]; b++)
    for (i32 k = 0; b != diagonal[i] && k < 9; k++) own[k] -= (f64)A[9 * b + k];
  if (slides[a]) {
    const f64 *normal = mirror + 3 * member[a];
    f64        across = 0;
    for (i32 k = 0; k < 9; k++) across += normal[k % 3] * own[k] * normal[k / 3];
    spring_along(own, normal), spring_within(own, normal);
    for (i32 k = 0; k < 9; k++) own[k] += across * normal[k % 3] * normal[k / 3];
  }
  for (i32 k = 0; k < 9; k++) D[9 * i + k] = (real)own[k];
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

/* Rows of the matrix, scaled by the inverse of their diagonal block, so that residuals are those that the springs
 * stop on (eq. 3.6); columns of nodes that slide have nothing across their plane.                   */
#define SPRING_ROWS_3D(F)              \
  F(in, i32, node, "rows>nodes!")      \
  F(in, i32, member, "nodes>members")  \
  F(in, i32, fixed, "nodes")           \
  F(near, i32, slides, "nodes")        \
  F(in, f64, mirror, "members,3")      \
  F(in, i32, row, "rows+1>>blocks")    \
  F(in, i32, column, "blocks>rows")    \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, D, "rows,9")             \
  F(rw, real, A, "blocks,9")           \
  F(inc, u64, faults, "members")
KERNEL(spring_rows_3d, SPRING_ROWS_3D, indirect)
{
  const i32  a      = node[i];
  const f64 *normal = mirror + 3 * member[a];
  f64        own[9], inverse[9];
  for (i32 k = 0; k < 9; k++) own[k] = (f64)D[9 * i + k];
  if (!(spring_inverse(own, inverse) > 0)) fault(&faults[member[a]], FAULT_PIVOT, a);
  for (i32 b = row[i]; b < row[i + 1]; b++) {
    f64 block[9];
    for (i32 k = 0; k < 9; k++) block[k] = (f64)A[9 * b + k];
    if (slides[node[column[b]]]) spring_along(block, normal);
    if (slides[a]) spring_within(block, normal);
    for (i32 r = 0; r < 3; r++)
      for (i32 c = 0; c < 3; c++) {
        f64 s = 0;
        for (i32 k = 0; k < 3; k++) s += inverse[3 * k + r] * block[3 * c + k];
        A[9 * b + 3 * c + r] = (real)(b == diagonal[i] ? r == c : fixed[a] ? 0 : s);
      }
  }
}
