/* metrics_space.h - the median dual of a mesh in space (docs/theory.md, section 2.3).
 * Of each cell at an edge, the facet is the two triangles (M, F2, C) and (M, C, F1): M the middle of the edge,
 * C the vertex average of the cell, F1 and F2 those of its faces at the edge (kinds.h).  S of an edge is the sum
 * of its facets' area vectors, from its first node to its second [chord^2].
 * Coordinates, volumes and swept volumes are always float64; lengths in chords.                  */

/* Mean of vertices relative to a place, all of a cell or those of a face. */
HD struct vec3 solid_mean(const f64 *x, const i32 *nodes, i32 corners, struct vec3 from)
{
  struct vec3 c = vec3_of(0, 0, 0);
  for (i32 k = 0; k < corners; k++) c = vec3_plus(c, vec3_minus(place_of(x, nodes[k]), from));
  return vec3_times(1.0 / corners, c);
}

HD struct vec3 kind_face_mean(const f64 *x, const i32 *nodes, const signed char *face, struct vec3 from)
{
  struct vec3 c = vec3_of(0, 0, 0);
  const i32   m = face[3] < 0 ? 3 : 4;
  for (i32 k = 0; k < m; k++) c = vec3_plus(c, vec3_minus(place_of(x, nodes[face[k]]), from));
  return vec3_times(1.0 / m, c);
}

/* Mean displacement of the same vertices, of each its own: no difference of places far off. */
HD struct vec3 solid_way(const f64 *x0, const f64 *x1, const i32 *nodes, i32 corners)
{
  struct vec3 c = vec3_of(0, 0, 0);
  for (i32 k = 0; k < corners; k++) c = vec3_plus(c, vec3_minus(place_of(x1, nodes[k]), place_of(x0, nodes[k])));
  return vec3_times(1.0 / corners, c);
}

HD struct vec3 kind_face_way(const f64 *x0, const f64 *x1, const i32 *nodes, const signed char *face)
{
  struct vec3 c = vec3_of(0, 0, 0);
  const i32   m = face[3] < 0 ? 3 : 4;
  for (i32 k = 0; k < m; k++) c = vec3_plus(c, vec3_minus(place_of(x1, nodes[face[k]]), place_of(x0, nodes[face[k]])));
  return vec3_times(1.0 / m, c);
}

/* Twice the area vector of a facet; the points relative to one place. */
HD struct vec3 facet_double(struct vec3 M, struct vec3 C, struct vec3 F1, struct vec3 F2)
{
  return vec3_cross(vec3_minus(C, M), vec3_minus(F1, F2));
}

#define RINGS(F)                                                                                             \
  F(in, i32, lr, "edges,2>nodes")                                                                            \
  F(in, i32, ring_offsets, "edges+1>>ring_entries") /* cells about each edge */                              \
  F(in, i32, ring_cell, "ring_entries>cells")                                                                \
  F(in, i32, ring_local, "ring_entries") /* twice the number of the edge in it, 1 more where it runs back */ \
  F(in, i32, cell_starts, "cells+1>>corner_entries")                                                         \
  F(in, i32, cell_nodes, "corner_entries>nodes")

/* A cell about an edge, and its faces there as the edge runs, from its lower node. */
struct ring {
  const i32         *nodes;
  const signed char *first, *second;
  i32                corners;
};

HD struct ring ring_of(i32 cell, i32 local, const i32 *cell_starts, const i32 *cell_nodes)
{
  struct ring r;
  r.nodes                 = cell_nodes + cell_starts[cell];
  r.corners               = cell_starts[cell + 1] - cell_starts[cell];
  const struct kind *kind = kind_of(r.corners);
  const signed char *edge = kind->edge[local >> 1];
  const i32          back = local & 1;
  r.first = kind->face[edge[2 + back]], r.second = kind->face[edge[3 - back]];
  return r;
}

/* Area vectors, and of each edge the volume that both its nodes have of the cells about it. */
#define SPACE_NORMALS(F)     \
  F(near, f64, x, "nodes,3") \
  RINGS(F)                   \
  F(out, real, S, "edges,3") \
  F(out, f64, wedge, "edges") /* S . (x_b - x_a) / 6 */
KERNEL(dual_normals_3d, SPACE_NORMALS, indirect)
{
  const i32         a    = lr[2 * i];
  const struct vec3 from = place_of(x, a), way = vec3_minus(place_of(x, lr[2 * i + 1]), from), M = vec3_times(0.5, way);
  struct vec3       sum = vec3_of(0, 0, 0);
  for (i32 e = ring_offsets[i]; e < ring_offsets[i + 1]; e++) {
    const struct ring r = ring_of(ring_cell[e], ring_local[e], cell_starts, cell_nodes);
    const struct vec3 C = solid_mean(x, r.nodes, r.corners, from), F1 = kind_face_mean(x, r.nodes, r.first, from),
                      F2 = kind_face_mean(x, r.nodes, r.second, from);

    sum = vec3_plus(sum, facet_double(M, C, F1, F2));
  }
  S[3 * i] = (real)(0.5 * sum.x), S[3 * i + 1] = (real)(0.5 * sum.y), S[3 * i + 2] = (real)(0.5 * sum.z);
  wedge[i] = vec3_dot(sum, way) / 12;
}

/* Volume swept by the facets of an edge while every node moves linearly from x0 to x1 [chord^3]. */
#define SPACE_SWEEPS(F)       \
  F(near, f64, x0, "nodes,3") \
  F(near, f64, x1, "nodes,3") \
  RINGS(F)                    \
  F(out, f64, dV, "edges")
KERNEL(dual_sweeps_3d, SPACE_SWEEPS, wide)
{
  const i32         a = lr[2 * i], b = lr[2 * i + 1];
  const struct vec3 from0 = place_of(x0, a), from1 = place_of(x1, a);
  const struct vec3 M0 = vec3_times(0.5, vec3_minus(place_of(x0, b), from0)),
                    M1 = vec3_times(0.5, vec3_minus(place_of(x1, b), from1)),
                    dM = vec3_times(0.5,
                                    vec3_plus(vec3_minus(from1, from0), vec3_minus(place_of(x1, b), place_of(x0, b))));
  f64 sum              = 0;
  for (i32 e = ring_offsets[i]; e < ring_offsets[i + 1]; e++) {
    const struct ring r  = ring_of(ring_cell[e], ring_local[e], cell_starts, cell_nodes);
    const struct vec3 C0 = vec3_minus(solid_mean(x0, r.nodes, r.corners, from0), M0),
                      C1 = vec3_minus(solid_mean(x1, r.nodes, r.corners, from1), M1),
                      to = vec3_plus(dM, solid_way(x0, x1, r.nodes, r.corners));
    const struct vec3 F0 = vec3_minus(kind_face_mean(x0, r.nodes, r.first, from0), M0),
                      F1 = vec3_minus(kind_face_mean(x1, r.nodes, r.first, from1), M1),
                      G0 = vec3_minus(kind_face_mean(x0, r.nodes, r.second, from0), M0),
                      G1 = vec3_minus(kind_face_mean(x1, r.nodes, r.second, from1), M1);
    sum += triangle_sweep(G0, C0, G1, C1, vec3_plus(to, kind_face_way(x0, x1, r.nodes, r.second))) +
           triangle_sweep(C0, F0, C1, F1, vec3_plus(to, kind_face_way(x0, x1, r.nodes, r.first)));
  }
  dV[i] = sum;
}

/* Dual volume: that of the edges at the node, as boundary faces hold it. */
#define SPACE_VOLUMES(F)                  \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, edge, "entries>edges")       \
  F(in, f64, wedge, "edges")              \
  F(in, i32, member, "nodes>members")     \
  F(out, f64, V, "nodes")                 \
  F(inc, u64, faults, "members")
KERNEL(dual_volumes_3d, SPACE_VOLUMES, indirect)
{
  f64 sum = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) sum += wedge[edge[e]];
  V[i] = sum;
  if (!(sum > 0)) fault(&faults[member[i]], FAULT_AREA, i);
}

/* Faces of the boundary at node i, run through with the fluid behind: the corner after it, the one before it,
 * and of a quadrilateral the one across.                                                        */
#define BOUNDARY_FACES(F)                 \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, offsets, "bnodes+1>>bfaces") \
  F(in, i32, corners, "bfaces,3>nodes?") /* the last of a triangle is -1 */

/* Mean of the corners of a face, those of its node zero. */
HD struct vec3 corner_mean(struct vec3 next, struct vec3 before, struct vec3 across, i32 corners)
{
  return vec3_times(1.0 / corners, vec3_plus(vec3_plus(next, before), across));
}

#define SPACE_BOUNDARY(F)    \
  F(near, f64, x, "nodes,3") \
  BOUNDARY_FACES(F)          \
  F(out, real, S, "bnodes,3") /* area vector, outwards */
KERNEL(boundary_normals_3d, SPACE_BOUNDARY, indirect)
{
  const struct vec3 from = place_of(x, node[i]);
  struct vec3       sum  = vec3_of(0, 0, 0);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32        *k    = corners + 3 * e;
    const struct vec3 next = vec3_minus(place_of(x, k[0]), from), before = vec3_minus(place_of(x, k[1]), from),
                      across = k[2] < 0 ? vec3_of(0, 0, 0) : vec3_minus(place_of(x, k[2]), from);
    const struct vec3 F      = corner_mean(next, before, across, k[2] < 0 ? 3 : 4);
    sum                      = vec3_plus(sum, vec3_plus(vec3_cross(next, F), vec3_cross(F, before)));
  }
  S[3 * i] = (real)(0.25 * sum.x), S[3 * i + 1] = (real)(0.25 * sum.y), S[3 * i + 2] = (real)(0.25 * sum.z);
}

#define SPACE_BOUNDARY_SWEEPS(F) \
  F(near, f64, x0, "nodes,3")    \
  F(near, f64, x1, "nodes,3")    \
  BOUNDARY_FACES(F)              \
  F(out, f64, dV, "bnodes")
KERNEL(boundary_sweeps_3d, SPACE_BOUNDARY_SWEEPS, wide)
{
  const i32         a     = node[i];
  const struct vec3 none  = vec3_of(0, 0, 0);
  const struct vec3 from0 = place_of(x0, a), from1 = place_of(x1, a), own = vec3_minus(from1, from0);
  f64               sum = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32  *k = corners + 3 * e, m = k[2] < 0 ? 3 : 4;
    struct vec3 at0[3], at1[3], way[3];
    for (i32 v = 0; v < 3; v++) {
      at0[v] = k[v] < 0 ? none : vec3_minus(place_of(x0, k[v]), from0);
      at1[v] = k[v] < 0 ? none : vec3_minus(place_of(x1, k[v]), from1);
      way[v] = k[v] < 0 ? none : vec3_minus(place_of(x1, k[v]), place_of(x0, k[v]));
    }
    const struct vec3 F0 = corner_mean(at0[0], at0[1], at0[2], m), F1 = corner_mean(at1[0], at1[1], at1[2], m);
    const struct vec3 dF = vec3_plus(corner_mean(way[0], way[1], way[2], m), vec3_times(1.0 / m, own));
    const struct vec3 to = vec3_plus(vec3_times(1.5, own), dF); /* own + half of the edge's ends + dF */
    sum += triangle_sweep(vec3_times(0.5, at0[0]), F0, vec3_times(0.5, at1[0]), F1,
                          vec3_plus(to, vec3_times(0.5, way[0]))) +
           triangle_sweep(F0, vec3_times(0.5, at0[1]), F1, vec3_times(0.5, at1[1]),
                          vec3_plus(to, vec3_times(0.5, way[1])));
  }
  dV[i] = sum;
}
