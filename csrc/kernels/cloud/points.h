/* points.h - what only clouds in space need: boundary facets, forces, poses. */

/* Area vector of a boundary point out of the fluid, a third of each triangle at it, and the unit
 * normal, along the plane of symmetry for points on it; none where both sides of an edge such as a
 * trailing edge meet: the flow is free there.                                                   */
#define CLOUD_FACETS(F)                                                        \
  F(in, i32, node, "bnodes>nodes!")                                            \
  F(in, i32, member, "nodes>members")                                          \
  F(in, f64, x, "nodes,3")                                                     \
  F(in, i32, offsets, "bnodes+1>>facets")                                      \
  F(in, i32, corners, "facets,2>nodes") /* the other two, by the right hand */ \
  CLOUD_PLANE(F)                                                               \
  F(out, real, S, "bnodes,3")                                                  \
  F(out, real, normal, "bnodes,3")
KERNEL(cloud_facets_3d, CLOUD_FACETS, indirect)
{
  const i32  a      = node[i];
  const f64 *at     = x + 3 * a;
  f64        sum[3] = {0, 0, 0}, all = 0, across = 0, size = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const f64 *b = x + 3 * corners[2 * e], *c = x + 3 * corners[2 * e + 1];
    f64        area[3], one                   = 0;
    for (i32 k = 0; k < 3; k++) {
      const i32 l = (k + 1) % 3, m = (k + 2) % 3;
      area[k] = ((b[l] - at[l]) * (c[m] - at[m]) - (b[m] - at[m]) * (c[l] - at[l])) / 6;
      sum[k] += area[k];
      one += area[k] * area[k];
    }
    all += sqrt(one);
  }
  for (i32 k = 0; k < 3; k++) S[3 * i + k] = (real)sum[k];
  const real *unit = plane + 3 * member[a];
  if (on_plane[a])
    for (i32 k = 0; k < 3; k++) across += sum[k] * (f64)unit[k];
  for (i32 k = 0; k < 3; k++) {
    sum[k] -= across * (f64)unit[k];
    size += sum[k] * sum[k];
  }
  const f64 per = sqrt(size) > 0.5 * all ? 1 / sqrt(size) : 0;
  for (i32 k = 0; k < 3; k++) normal[3 * i + k] = (real)(per * sum[k]);
}

/* Inverse of the least-squares matrix on the plane of symmetry, with the satellites' mirror images. */
#define CLOUD_MIRROR(F)                   \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, member, "nodes>members")     \
  F(in, f64, x, "nodes,3")                \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, plane, "members,3")         \
  F(val, i32, squared, "")                \
  F(rw, real, inverse, "nodes,6")
KERNEL(cloud_mirror_3d, CLOUD_MIRROR, indirect)
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
#define CLOUD_EVEN(F)                 \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, plane, "members,3")     \
  F(rw, real, grad, "nodes,15")
KERNEL(cloud_even_3d, CLOUD_EVEN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *unit = plane + 3 * m;
  real       *g = grad + 15 * a, turn[3] = {0, 0, 0}; /* gradient of the velocity across */
  for (i32 k = 0; k < 3; k++)
    for (i32 l = 0; l < 3; l++) turn[l] += unit[k] * g[3 * (1 + k) + l];
  const real own = vec_dot_3d(turn, unit);
  for (i32 k = 0; k < 5; k++) {
    const real part = k == 0 || k == 4 ? R(0) : unit[k - 1], across = vec_dot_3d(g + 3 * k, unit);
    for (i32 l = 0; l < 3; l++) g[3 * k + l] += R(2) * part * own * unit[l] - across * unit[l] - part * turn[l];
  }
}

/* Force of the wall's pressures as (x, z, nose-up moment about the y-line through a point, y). */
#define WALL_FORCES_3D(F)                 \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, member, "nodes>members")     \
  F(in, f64, x, "nodes,3")                \
  F(in, real, S, "bnodes,3")              \
  F(in, real, q, "nodes,5")               \
  F(in, f64, about, "members,2")          \
  F(in, f64, stream, "members,5")         \
  F(in, i32, offsets, "groups+1>>bnodes") \
  F(out, f64, sums, "groups,4")
REDUCE(wall_forces_3d, WALL_FORCES_3D, sum, 4)
{
  const i32 a = node[i], m = member[a];
  const f64 p  = (f64)q[5 * a + 4] - stream[5 * m + 4];
  const f64 fx = p * (f64)S[3 * i], fz = p * (f64)S[3 * i + 2];
  s[0] += fx;
  s[1] += fz;
  s[2] -= (x[3 * a] - about[2 * m]) * fz - (x[3 * a + 2] - about[2 * m + 1]) * fx;
  s[3] += p * (f64)S[3 * i + 1];
}

/* pose_move (pose.h) in the planes across the span: x and z turn about a line along y. */
#define POSE_MOVE_3D(F)            \
  F(in, i32, node, "moved>nodes!") \
  F(in, i32, body, "moved>bodies") \
  F(in, f64, pose, "bodies,6")     \
  F(in, f64, reference, "nodes,3") \
  F(rw, f64, x, "nodes,3")
KERNEL(pose_move_3d, POSE_MOVE_3D, indirect)
{
  const i32  a  = node[i];
  const f64 *p  = pose + 6 * body[i];
  const f64  rx = reference[3 * a] - p[2], rz = reference[3 * a + 2] - p[3];
  x[3 * a]     = reference[3 * a] + (p[0] * rx - p[1] * rz + p[4]);
  x[3 * a + 1] = reference[3 * a + 1];
  x[3 * a + 2] = reference[3 * a + 2] + (p[1] * rx + p[0] * rz + p[5]);
}

#define COPY_REAL5(F) F(in, real, from, "items,5") F(out, real, to, "items,5")
LANES(copy_real5, COPY_REAL5, indirect, 5)
{
  for (i32 k = 5 * i + lane; k < 5 * i + lane + WIDTH(5); k++) to[k] = from[k];
}
#define COPY_F64_3(F) F(in, f64, from, "items,3") F(out, f64, to, "items,3")
LANES(copy_f64_3, COPY_F64_3, indirect, 3)
{
  for (i32 k = 3 * i + lane; k < 3 * i + lane + WIDTH(3); k++) to[k] = from[k];
}
