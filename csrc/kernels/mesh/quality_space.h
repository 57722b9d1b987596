/* quality_space.h - how good the cells of a mesh in space are.  Volumes [chord^3], angles [rad]. */

/* Parts of a cell in the duals of its corners: at each edge a sixth of facet times edge for both of its ends. */
HD void corner_shares(const f64 *x, const i32 *nodes, i32 corners, const struct kind *kind, f64 *share)
{
  const struct vec3 from = place_of(x, nodes[0]), C = solid_mean(x, nodes, corners, from);
  for (i32 k = 0; k < corners; k++) share[k] = 0;
  for (i32 k = 0; k < kind->edges; k++) {
    const signed char *edge = kind->edge[k];
    const struct vec3  a    = vec3_minus(place_of(x, nodes[edge[0]]), from),
                      b     = vec3_minus(place_of(x, nodes[edge[1]]), from);
    const struct vec3 S =
        facet_double(vec3_times(0.5, vec3_plus(a, b)), C, kind_face_mean(x, nodes, kind->face[edge[2]], from),
                     kind_face_mean(x, nodes, kind->face[edge[3]], from));
    const f64 both = vec3_dot(S, vec3_minus(b, a)) / 12;
    share[edge[0]] += both, share[edge[1]] += both;
  }
}

/* Normal of the plane of a face's corner, out of the cell; a corner within 15 degrees of 0 or 180 has none: there
 * it is that of the face, as in mesh/geometry/solid_quality.py.                                  */
#define FLAT_CORNER 0.26 /* sine of 15 degrees */
HD struct vec3 corner_normal(const f64 *x, const i32 *nodes, const signed char *face, i32 at)
{
  const i32 m = face[3] < 0 ? 3 : 4;
  i32       k = 0;
  while (k < m - 1 && face[k] != at) k++;
  const struct vec3 from = place_of(x, nodes[at]), next = vec3_minus(place_of(x, nodes[face[(k + 1) % m]]), from),
                    last = vec3_minus(place_of(x, nodes[face[(k + m - 1) % m]]), from), n = vec3_cross(next, last);
  if (m == 3) return n;
  const f64 least = FLAT_CORNER * FLAT_CORNER * vec3_dot(next, next) * vec3_dot(last, last);
  if (vec3_dot(n, n) > least) return n;
  const struct vec3 across = vec3_minus(place_of(x, nodes[face[(k + 2) % m]]), from);
  return vec3_cross(across, vec3_minus(last, next));
}

/* Angle within the cell between its faces at corner `at` of an edge, 0 to 2 pi: `first` runs from there along the
 * edge, `second` comes back along it. */
#define TURN_HALF 3.14159265358979323846
HD f64 dihedral(const f64 *x, const i32 *nodes, i32 at, i32 end, const signed char *first, const signed char *second)
{
  const struct vec3 e = vec3_minus(place_of(x, nodes[end]), place_of(x, nodes[at]));
  const struct vec3 n = corner_normal(x, nodes, first, at), m = corner_normal(x, nodes, second, at);
  return TURN_HALF - atan2(vec3_dot(e, vec3_cross(n, m)), sqrt(vec3_dot(e, e)) * vec3_dot(n, m));
}

/* Worst cell of a group: -(least volume [chord^3], as if all of its corners had the part of its worst one),
 * -(least angle between two faces [rad]).  A cell with a corner that has no part of it is a fault. */
#define SPACE_QUALITY(F)                             \
  F(near, f64, x, "nodes,3")                         \
  F(in, i32, cell_starts, "cells+1>>corner_entries") \
  F(in, i32, cell_nodes, "corner_entries>nodes")     \
  F(in, i32, member, "nodes>members")                \
  F(in, i32, offsets, "groups+1>>cells")             \
  F(inc, u64, faults, "members")                     \
  F(out, f64, sums, "groups,2")
REDUCE(cell_quality_3d, SPACE_QUALITY, max, 2)
{
  const i32         *nodes = cell_nodes + cell_starts[i], corners = cell_starts[i + 1] - cell_starts[i];
  const struct kind *kind = kind_of(corners);
  f64                share[8];
  corner_shares(x, nodes, corners, kind, share);
  for (i32 k = 0; k < corners; k++) {
    s[0] = OP_max(s[0], -corners * share[k]);
    if (!(share[k] > 0)) fault(&faults[member[nodes[k]]], FAULT_AREA, nodes[k]);
  }
  for (i32 k = 0; k < kind->edges; k++) {
    const signed char *edge = kind->edge[k], *first = kind->face[edge[2]], *second = kind->face[edge[3]];
    s[1] = OP_max(s[1], -dihedral(x, nodes, edge[0], edge[1], first, second));
    if (first[3] < 0 && second[3] < 0) continue; /* both ends have the same angle */
    s[1] = OP_max(s[1], -dihedral(x, nodes, edge[1], edge[0], second, first));
  }
}
