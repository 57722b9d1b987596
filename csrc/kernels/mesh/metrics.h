/* metrics.h - the median dual of a plane mesh (docs/theory.md, section 2.3).
 * A facet is the segment from the middle of an edge to the vertex average of a cell at that edge;
 * S of an edge is the sum of its facets' normals, from its first node to its second [chord].
 * Coordinates, volumes and swept volumes are always float64; lengths in chords.                  */

/* Mean of a cell's vertices relative to node `from`; `x` may hold positions or displacements. */
HD struct vec2 cell_mean(const f64 *x, const i32 *corners, struct vec2 from)
{
  struct vec2 c = vec2_of(0, 0);
  for (i32 k = 0; k < 3; k++) {
    c.x += x[2 * corners[k]] - from.x;
    c.y += x[2 * corners[k] + 1] - from.y;
  }
  if (corners[3] < 0) return vec2_of(c.x / 3, c.y / 3);
  return vec2_of(0.25 * (c.x + (x[2 * corners[3]] - from.x)), 0.25 * (c.y + (x[2 * corners[3] + 1] - from.y)));
}

/* Area vector of an edge's dual face; every point is taken relative to the edge's first node. */
#define DUAL_NORMALS(F)                                                     \
  F(near, f64, x, "nodes,2")                                                \
  F(in, i32, lr, "edges,2>nodes")                                           \
  F(in, i32, cells_of_edge, "edges,2>cells?") /* left, right; -1 outside */ \
  F(in, i32, corners, "cells,4>nodes?")       /* fourth is -1: triangle */  \
  F(out, real, S, "edges,2")                  /* area vector */
KERNEL(dual_normals, DUAL_NORMALS, indirect)
{
  const struct vec2 a = point(x, lr[2 * i]), ab = minus(point(x, lr[2 * i + 1]), a);
  f64               sx = 0, sy = 0;
  for (i32 side = 0; side < 2; side++) {
    const i32 c = cells_of_edge[2 * i + side];
    if (c < 0) continue;
    const struct vec2 g = cell_mean(x, corners + 4 * c, a), t = minus(g, vec2_of(0.5 * ab.x, 0.5 * ab.y));
    /* S is the facet turned right: from the edge into the left cell, out of the right one. */
    const f64 sign = side ? -1 : 1;
    sx += sign * t.y;
    sy -= sign * t.x;
  }
  S[2 * i]     = (real)sx;
  S[2 * i + 1] = (real)sy;
}

/* Area swept by the facets of an edge while every node moves linearly from x0 to x1 [chord^2]. */
#define DUAL_SWEEPS(F)                        \
  F(near, f64, x0, "nodes,2")                 \
  F(near, f64, x1, "nodes,2")                 \
  F(in, i32, lr, "edges,2>nodes")             \
  F(in, i32, cells_of_edge, "edges,2>cells?") \
  F(in, i32, corners, "cells,4>nodes?")       \
  F(out, f64, dV, "edges")
KERNEL(dual_sweeps, DUAL_SWEEPS, indirect)
{
  const i32         p = lr[2 * i], q = lr[2 * i + 1];
  const struct vec2 a0 = point(x0, p), a1 = point(x1, p);
  const struct vec2 ab0 = minus(point(x0, q), a0), ab1 = minus(point(x1, q), a1);
  const struct vec2 da = minus(a1, a0), db = minus(point(x1, q), point(x0, q));
  f64               sum = 0;
  for (i32 side = 0; side < 2; side++) {
    const i32 c = cells_of_edge[2 * i + side];
    if (c < 0) continue;
    const i32        *k = corners + 4 * c, m = k[3] < 0 ? 3 : 4;
    const struct vec2 g0 = cell_mean(x0, k, a0), g1 = cell_mean(x1, k, a1);
    const struct vec2 t0 = minus(g0, vec2_of(0.5 * ab0.x, 0.5 * ab0.y));
    const struct vec2 t1 = minus(g1, vec2_of(0.5 * ab1.x, 0.5 * ab1.y));
    struct vec2       d  = vec2_of(0, 0); /* displacement of the cell's mean */
    for (i32 v = 0; v < m; v++) {
      d.x += x1[2 * k[v]] - x0[2 * k[v]];
      d.y += x1[2 * k[v] + 1] - x0[2 * k[v] + 1];
    }
    const struct vec2 middle = vec2_of(0.5 * (d.x / m + 0.5 * (da.x + db.x)), 0.5 * (d.y / m + 0.5 * (da.y + db.y)));
    sum += (side ? -1 : 1) * segment_sweep(t0, t1, middle);
  }
  dV[i] = sum;
}

/* Half faces of a boundary node, towards its neighbours before and after along the boundary. */
#define BOUNDARY_NORMALS(F)                                                         \
  F(near, f64, x, "nodes,2")                                                        \
  F(in, i32, node, "bnodes>nodes!")                                                 \
  F(in, i32, ends, "bnodes,2>nodes?") /* before, after; -1: the marker ends here */ \
  F(out, real, S, "bnodes,2")         /* area vector, outwards */
KERNEL(boundary_normals, BOUNDARY_NORMALS, indirect)
{
  const struct vec2 a  = point(x, node[i]);
  f64               sx = 0, sy = 0;
  for (i32 side = 0; side < 2; side++) {
    const i32 e = ends[2 * i + side];
    if (e < 0) continue;
    const struct vec2 t = side ? minus(point(x, e), a) : minus(a, point(x, e));
    sx += 0.5 * t.y;
    sy -= 0.5 * t.x;
  }
  S[2 * i]     = (real)sx;
  S[2 * i + 1] = (real)sy;
}

#define BOUNDARY_SWEEPS(F)            \
  F(near, f64, x0, "nodes,2")         \
  F(near, f64, x1, "nodes,2")         \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, ends, "bnodes,2>nodes?") \
  F(out, f64, dV, "bnodes")
KERNEL(boundary_sweeps, BOUNDARY_SWEEPS, indirect)
{
  const struct vec2 a0 = point(x0, node[i]), a1 = point(x1, node[i]), da = minus(a1, a0);
  f64               sum = 0;
  for (i32 side = 0; side < 2; side++) {
    const i32 e = ends[2 * i + side];
    if (e < 0) continue;
    const f64         h  = side ? 0.5 : -0.5; /* half of the edge, run through in its direction */
    struct vec2       t0 = minus(point(x0, e), a0), t1 = minus(point(x1, e), a1);
    const struct vec2 de = minus(point(x1, e), point(x0, e));
    t0 = vec2_of(h * t0.x, h * t0.y), t1 = vec2_of(h * t1.x, h * t1.y);
    sum += segment_sweep(t0, t1, vec2_of(0.75 * da.x + 0.25 * de.x, 0.75 * da.y + 0.25 * de.y));
  }
  dV[i] = sum;
}

/* Dual volume: node, middle of edge, cell mean, middle of edge, in every cell of the node. */
#define DUAL_VOLUMES(F)                                               \
  F(near, f64, x, "nodes,2")                                          \
  F(in, i32, offsets, "nodes+1>>corner_entries")                      \
  F(in, i32, cell, "corner_entries>cells")                            \
  F(in, i32, corner, "corner_entries") /* 0..3: which corner it is */ \
  F(in, i32, corners, "cells,4>nodes?")                               \
  F(in, i32, member, "nodes>members")                                 \
  F(out, f64, V, "nodes")                                             \
  F(inc, u64, faults, "members")
KERNEL(dual_volumes, DUAL_VOLUMES, indirect)
{
  const struct vec2 a   = point(x, i);
  f64               sum = 0;
  i32               bad = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32        *k = corners + 4 * cell[e], m = k[3] < 0 ? 3 : 4, at = corner[e];
    const struct vec2 next = minus(point(x, k[(at + 1) % m]), a), before = minus(point(x, k[(at + m - 1) % m]), a);
    const struct vec2 g = cell_mean(x, k, a);
    sum += 0.25 * (cross(next, g) + cross(g, before));
    bad |= !(cross(next, before) > 0);
  }
  V[i] = sum;
  if (bad || !(sum > 0)) fault(&faults[member[i]], FAULT_AREA, i);
}

/* Rate at which a face sweeps, w = g1 dV^(n+1) + g2 dV^n: the one that keeps a uniform stream
 * uniform under BDF (theory eq. 2.13) [chord a_inf].                                                      */
#define FACE_RATES(F)                 \
  F(in, i32, member, "faces>members") \
  F(in, f64, rate, "members,2")       \
  F(in, f64, dV1, "faces")            \
  F(in, f64, dV2, "faces")            \
  F(out, real, w, "faces")
KERNEL(face_rates, FACE_RATES, indirect)
{
  const f64 *g = rate + 2 * member[i];
  w[i]         = (real)(g[0] * dV1[i] + g[1] * dV2[i]);
}
