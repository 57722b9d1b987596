/* find_space.h - the tetrahedron of another part in space that holds a node, or whether the node lies within its walls
 * (docs/overset.md, python/kinemesh/overset/inside.py). */

/* The facets of the walls of each grid, by bins: of a bin it is known whether its own point lies within the walls, and
 * a place in it does so too where the way there crosses an even number of the bin's facets. */
#define OVERSET_INSIDE(F)                                                                                \
  F(in, f64, wall_box, "grids,6")      /* least place; bins per chord */                                 \
  F(in, i32, wall_across, "grids,3")   /* bins along each axis, 0 without walls */                       \
  F(in, i32, wall_begin, "grids")      /* first bin */                                                   \
  F(in, i32, wall_bins, "wall_bins,2") /* first listing; twice their number, and 1 where it is within */ \
  F(in, i32, wall_listed, "wall_listings>facets")                                                        \
  F(in, i32, facet, "facets,3>wall_points")                                                              \
  F(in, f64, wall_point, "wall_points,3")

/* Place of a bin's own point, in bins: no place of meshes that people make.  Python reads it. */
#define BIN_POINT(k) ((k) == 0 ? (f64)0.5123 : (k) == 1 ? (f64)0.4871 : (f64)0.5237)

HD i32 overset_inside(i32 g, struct vec3 p OVERSET_INSIDE(PARAM))
{
  const f64  at[3] = {p.x, p.y, p.z}, *low = wall_box + 6 * g, *scale = low + 3;
  const i32 *across = wall_across + 3 * g;
  f64        t[3], own[3];
  i32        place[3];
  if (!bin_of_3d(at, low, across, t, place)) return 0;
  for (i32 k = 0; k < 3; k++) own[k] = low[k] + (place[k] + BIN_POINT(k)) / scale[k];
  const i32         bin   = wall_begin[g] + bin_number_3d(place, across);
  const struct vec3 to    = vec3_of(own[0], own[1], own[2]);
  const i32         first = wall_bins[2 * bin], last = first + wall_bins[2 * bin + 1] / 2;
  i32               within = wall_bins[2 * bin + 1] & 1;
  for (i32 e = first; e < last; e++) within ^= segment_crosses(wall_point, facet + 3 * wall_listed[e], p, to);
  return within;
}

/* The first tetrahedron of the lowest cell that holds a node. */
#define OVERSET_FIND_3D(F)              \
  OVERSET_FIND(F)                       \
  F(in, i32, listed, "listings>solids") \
  F(in, i32, parts, "solids+1>>cells")  \
  OVERSET_INSIDE(F)
KERNEL(overset_find_3d, OVERSET_FIND_3D, indirect)
{
  const i32 j = node[i], g = grid[part[i]];
  if (!alive[member[j]]) return;
  const struct vec3 p     = overset_frame_3d(pose + 12 * part[i], x, j);
  const f64         at[3] = {p.x, p.y, p.z};
  i32               list[2], found = OVERSET_NONE;
  f64               w[4];
  if (overset_list_3d(at, box + 6 * g, across + 3 * g, bins + 2 * begin[2 * g], list)) {
    list[0] += begin[2 * g + 1];
    for (i32 e = list[0]; e < list[0] + list[1] && found < 0; e++)
      found = overset_within(frame, parts, corners, listed[e], p, w);
  }
  if (found >= 0) near[i] = overset_mean(rank, corners + 4 * found, w);
  if (found < 0 && overset_inside(g, p OVERSET_INSIDE(NAME))) found = OVERSET_WITHIN;
  cell[i] = found;
}
