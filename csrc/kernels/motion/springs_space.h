/* springs_space.h - torsional springs of tetrahedra (physics/springs_space.h) by rows, as springs.h has those of
 * triangles: each row gathers from the tetrahedra of its node (Ma et al., Algorithm 1).            */

/* A symmetric block's inverse, by columns; returns its determinant. */
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
  for (f64 *c = a; c < a + 9; c += 3) {
    const f64 across = n[0] * c[0] + n[1] * c[1] + n[2] * c[2];
    for (i32 r = 0; r < 3; r++) c[r] -= across * n[r];
  }
}

/* A star is a tetrahedron about the row's node: its other three corners, and their blocks in the row.  A node that
 * slides along a plane of symmetry has in place of what resists it across the plane its own stiffness there. */
#define SPRING_ROWS_3D(F)                                            \
  F(in, i32, node, "rows>nodes!")                                    \
  F(in, i32, member, "nodes>members")                                \
  F(near, f64, x, "nodes,3")                                         \
  F(in, i32, fixed, "nodes")      /* 1: displacement is given */     \
  F(near, i32, slides, "nodes")   /* 1: along a plane of symmetry */ \
  F(in, f64, mirror, "members,3") /* unit normal of these planes */  \
  F(in, i32, row, "rows+1>>blocks")                                  \
  F(in, i32, diagonal, "rows>blocks!")                               \
  F(in, i32, stars, "rows+1>>tetrahedra")                            \
  F(in, i32, other, "tetrahedra,3>nodes")                            \
  F(in, i32, slot, "tetrahedra,3>blocks")                            \
  F(out, real, D, "rows,9")                                          \
  F(out, real, A, "blocks,9")                                        \
  F(inc, u64, faults, "members")
KERNEL(spring_rows_3d, SPRING_ROWS_3D, busy)
{
  const i32         a = node[i], free = !fixed[a];
  const struct vec3 at     = place_of(x, a);
  const f64        *normal = mirror + 3 * member[a];
  f64               own[9], inverse[9];
  for (i32 k = 0; k < 9; k++) own[k] = 0;
  for (i32 k = 9 * row[i]; k < 9 * row[i + 1]; k++) A[k] = 0;
  for (i32 t = stars[i]; free && t < stars[i + 1]; t++) {
    f64         to[27];
    struct vec3 p[3];
    UNROLL
    for (i32 k = 0; k < 27; k++) to[k] = 0;
    UNROLL
    for (i32 k = 0; k < 3; k++) p[k] = vec3_minus(place_of(x, other[3 * t + k]), at);
    spring_star(p, own, to);
    UNROLL
    for (i32 k = 0; k < 3; k++) {
      if (slides[other[3 * t + k]]) spring_along(to + 9 * k, normal);
      real *block = A + 9 * slot[3 * t + k];
      UNROLL
      for (i32 e = 0; e < 9; e++) block[e] += (real)to[9 * k + e];
    }
  }
  if (!free) own[0] = own[4] = own[8] = 1;
  if (slides[a]) {
    f64 across = 0;
    for (i32 r = 0; r < 3; r++)
      for (i32 c = 0; c < 3; c++) across += normal[r] * own[3 * c + r] * normal[c];
    spring_along(own, normal), spring_within(own, normal);
    for (i32 r = 0; r < 3; r++)
      for (i32 c = 0; c < 3; c++) own[3 * c + r] += across * normal[r] * normal[c];
  }
  if (!(spring_inverse(own, inverse) > 0)) fault(&faults[member[a]], FAULT_PIVOT, a);
  for (i32 k = 0; k < 9; k++) D[9 * i + k] = (real)own[k];
  for (i32 b = row[i]; b < row[i + 1]; b++) {
    f64 block[9];
    for (i32 k = 0; k < 9; k++) block[k] = (f64)A[9 * b + k];
    if (slides[a]) spring_within(block, normal);
    for (i32 r = 0; r < 3; r++)
      for (i32 c = 0; c < 3; c++) {
        f64 s = 0;
        for (i32 k = 0; k < 3; k++) s += inverse[3 * k + r] * block[3 * c + k];
        A[9 * b + 3 * c + r] = (real)(b == diagonal[i] ? r == c : s);
      }
  }
}
