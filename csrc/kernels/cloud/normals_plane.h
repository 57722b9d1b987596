/* normals_plane.h - unit normals of the boundary's points out of the fluid, in the plane from its edges; none
 * where both sides of an edge such as a trailing edge meet: the flow is free there.  Lengths in chords. */

#define CLOUD_NORMALS(F)              \
  F(in, i32, node, "bnodes>nodes!")   \
  F(near, f64, x, "nodes,2")          \
  F(in, i32, ends, "bnodes,2>nodes?") \
  F(out, real, normal, "bnodes,2")
KERNEL(cloud_normals, CLOUD_NORMALS, indirect)
{
  const struct vec2 a  = point(x, node[i]);
  f64               sx = 0, sy = 0, length = 0;
  for (i32 side = 0; side < 2; side++) {
    const i32 e = ends[2 * i + side];
    if (e < 0) continue;
    const struct vec2 t = side ? minus(point(x, e), a) : minus(a, point(x, e));
    sx += t.y, sy -= t.x, length += sqrt(dot(t, t));
  }
  const f64 size = sqrt(sx * sx + sy * sy), per = size > 0.5 * length ? 1 / size : 0;
  normal[2 * i]     = (real)(sx * per);
  normal[2 * i + 1] = (real)(sy * per);
}
