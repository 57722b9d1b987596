/* normals_space.h - unit normals of the boundary's points out of the fluid, in space from its triangles; none
 * where both sides of an edge such as a trailing edge meet.  Lengths in chords.                   */

/* With the area vector, a third of each triangle at the point.  Normals of points on the plane of
 * symmetry lie along it.                                                                        */
#define CLOUD_FACETS(F)                                                        \
  F(in, i32, node, "bnodes>nodes!")                                            \
  F(in, i32, member, "nodes>members")                                          \
  F(near, f64, x, "nodes,3")                                                   \
  F(in, i32, offsets, "bnodes+1>>facets")                                      \
  F(in, i32, corners, "facets,2>nodes") /* the other two, by the right hand */ \
  SYMMETRY(F)                                                                  \
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
