/* symmetry.h - points on a plane of symmetry, in space: each satellite has its mirror image.  Units as in
 * points.h and gradient.h.                                                                       */

/* Inverse of the least-squares matrix on the plane of symmetry, with the satellites' mirror images. */
#define MIRROR_FIT(F)                     \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, member, "nodes>members")     \
  F(near, f64, x, "nodes,3")              \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, plane, "members,3")         \
  F(val, i32, squared, "")                \
  F(rw, real, inverse, "nodes,6")
KERNEL(mirror_fit_3d, MIRROR_FIT, indirect)
{
  const i32 a = node[i];
  f64       sum[6], unit[3];
  for (i32 k = 0; k < 3; k++) unit[k] = (f64)plane[3 * member[a] + k];
  fit_matrix_3d(a, x, offsets, neighbour, squared, sum);
  fit_mirror_3d(unit, sum);
  fit_invert_3d(sum, inverse + 6 * a);
}

/* The part of gradients that is even about the plane of symmetry: nothing changes across it but the
 * velocity across, and that not along it.                                                       */
#define EVEN_GRADIENT(F)              \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, plane, "members,3")     \
  F(rw, real, grad, "nodes,15")
KERNEL(even_gradient_3d, EVEN_GRADIENT, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *unit = plane + 3 * m;
  real       *g = grad + 15 * a, turn[3] = {0, 0, 0}; /* gradient of the velocity across */
  for (i32 k = 0; k < 3; k++)
    for (i32 l = 0; l < 3; l++) turn[l] += unit[k] * g[3 * (VELOCITY + k) + l];
  const real own = vec_dot_3d(turn, unit);
  for (i32 k = 0; k < 5; k++) {
    const real part = k == DENSITY || k == PRESSURE ? R(0) : unit[k - VELOCITY], across = vec_dot_3d(g + 3 * k, unit);
    for (i32 l = 0; l < 3; l++) g[3 * k + l] += R(2) * part * own * unit[l] - across * unit[l] - part * turn[l];
  }
}
