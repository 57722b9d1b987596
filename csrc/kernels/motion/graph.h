/* graph.h - nodes that a Delaunay graph of the bodies carries (docs/theory.md, section 4), in the plane
 * alone.  Lengths in chords.                                                                     */

/* A node keeps its barycentric coordinates in its element of the Delaunay graph (Wang et al.,
 * section 2.3), in displacement form.                                                          */
#define GRAPH_MAP(F)                       \
  F(in, i32, node, "carried>nodes!")       \
  F(in, i32, element, "carried>elements")  \
  F(in, f64, share, "carried,3")           \
  F(in, i32, vertices, "elements,3>nodes") \
  F(near, f64, reference, "nodes,2")       \
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
  F(near, f64, x, "nodes,2")               \
  F(inc, u64, faults, "members")
KERNEL(graph_folds, GRAPH_FOLDS, indirect)
{
  const i32        *v = vertices + 3 * i;
  const struct vec2 a = point(x, v[0]);
  if (!(cross(minus(point(x, v[1]), a), minus(point(x, v[2]), a)) > 0)) fault(&faults[member[v[0]]], FAULT_GRAPH, v[0]);
}

/* Largest ratio of the greatest to the least stretch of a group's elements from x0 to x1: of the
 * singular values of F = D1 D0^-1, columns of D two sides; k + 1/k = |F|^2 / det F.  An element
 * that folds has 1e300; one without room for a node in x0 (on a straight hull; padding) is left
 * out, as it has no shape but round-off.                                                        */
#define GRAPH_STRETCH(F)                    \
  F(near, f64, x0, "nodes,2")               \
  F(near, f64, x1, "nodes,2")               \
  F(in, i32, vertices, "elements,3>nodes")  \
  F(in, i32, offsets, "groups+1>>elements") \
  F(out, f64, sums, "groups,1")
REDUCE(graph_stretch, GRAPH_STRETCH, max, 1)
{
  const i32        *v  = vertices + 3 * i;
  const struct vec2 a0 = point(x0, v[0]), a1 = point(x1, v[0]);
  const struct vec2 b0 = minus(point(x0, v[1]), a0), c0 = minus(point(x0, v[2]), a0);
  const struct vec2 b1 = minus(point(x1, v[1]), a1), c1 = minus(point(x1, v[2]), a1);
  const f64         det0 = cross(b0, c0), det1 = cross(b1, c1);
  if (!(det0 > 1e-12 * (dot(b0, b0) + dot(c0, c0)))) return;
  const struct vec2 p    = vec2_of(b1.x * c0.y - c1.x * b0.y, b1.y * c0.y - c1.y * b0.y); /* F det0 */
  const struct vec2 q    = vec2_of(c1.x * b0.x - b1.x * c0.x, c1.y * b0.x - b1.y * c0.x);
  const f64         half = (dot(p, p) + dot(q, q)) / (2 * det0 * det1);
  s[0]                   = OP_max(s[0], det1 > 0 ? half + sqrt(OP_max(half * half - 1, 0.0)) : 1e300);
}
