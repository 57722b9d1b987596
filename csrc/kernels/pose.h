/* pose.h - bodies to their pose, and the maps that follow them (docs/theory.md, sections 3, 4). */

/* x = x_ref + (R - I)(x_ref - about) + shift; pose = (cos - 1, sin, about, shift), radians
 * counter-clockwise.  The displacement form keeps a body at rest to the last bit.              */
#define POSE_MOVE(F)               \
  F(in, i32, node, "moved>nodes!") \
  F(in, i32, body, "moved>bodies") \
  F(in, f64, pose, "bodies,6")     \
  F(in, f64, reference, "nodes,2") \
  F(rw, f64, x, "nodes,2")
KERNEL(pose_move, POSE_MOVE, indirect)
{
  const i32  a  = node[i];
  const f64 *p  = pose + 6 * body[i];
  const f64  rx = reference[2 * a] - p[2], ry = reference[2 * a + 1] - p[3];
  x[2 * a]     = reference[2 * a] + (p[0] * rx - p[1] * ry + p[4]);
  x[2 * a + 1] = reference[2 * a + 1] + (p[1] * rx + p[0] * ry + p[5]);
}

/* A node keeps its barycentric coordinates in its element of the Delaunay graph (Wang et al.,
 * section 2.3), in displacement form.                                                          */
#define GRAPH_MAP(F)                       \
  F(in, i32, node, "carried>nodes!")       \
  F(in, i32, element, "carried>elements")  \
  F(in, f64, share, "carried,3")           \
  F(in, i32, vertices, "elements,3>nodes") \
  F(in, f64, reference, "nodes,2")         \
  F(upd, f64, x, "nodes,2")
KERNEL(graph_map, GRAPH_MAP, indirect)
{
  const i32  a = node[i];
  const i32 *v = vertices + 3 * element[i];
  for (i32 k = 0; k < 2; k++) {
    f64 d = 0;
    for (i32 j = 0; j < 3; j++) d += share[3 * i + j] * (x[2 * v[j] + k] - reference[2 * v[j] + k]);
    x[2 * a + k] = reference[2 * a + k] + d;
  }
}

#define GRAPH_FOLDS(F)                     \
  F(in, i32, vertices, "elements,3>nodes") \
  F(in, i32, member, "nodes>members")      \
  F(in, f64, x, "nodes,2")                 \
  F(inc, u64, faults, "members")
KERNEL(graph_folds, GRAPH_FOLDS, indirect)
{
  const i32        *v = vertices + 3 * i;
  const struct vec2 a = point(x, v[0]);
  if (!(cross(minus(point(x, v[1]), a), minus(point(x, v[2]), a)) > 0)) fault(&faults[member[v[0]]], FAULT_GRAPH, v[0]);
}
