/* search_space.h - the cell of a mesh in space that holds a point, and the weights of its corners there
 * (docs/overset.md).  A cell is tetrahedra (python/kinemesh/overset/tetrahedra.py): those of positive volume, as
 * these leave no place of the mesh out.                                                            */

/* The first tetrahedron of a cell that holds p, or -1. */
HD i32 overset_within(const f64 *x, const i32 *parts, const i32 *corner, i32 cell, struct vec3 p, f64 *w)
{
  for (i32 t = parts[cell]; t < parts[cell + 1]; t++)
    if (tetrahedron_holds(x, corner + 4 * t, p, w)) return t;
  return -1;
}

/* Weights of the corners of a tetrahedron at a place in it. */
HD void overset_weigh_3d(const f64 *x, const i32 *corners, i32 cell, struct vec3 p, f64 *w)
{
  tetrahedron_holds(x, corners + 4 * cell, p, w);
}

/* The lowest cell that holds each place; -1 where none does, and a fault where a coordinate is not finite. */
#define OVERSET_SEARCH_3D(F)                                                  \
  F(near, f64, x, "nodes,3")                                                  \
  F(in, i32, parts, "solids+1>>tetrahedra")                                   \
  F(in, i32, corner, "tetrahedra,4>nodes")                                    \
  F(in, f64, box, "2,3")  /* least place; bins of the first grid per chord */ \
  F(in, i32, across, "3") /* bins of the first grid along each axis */        \
  F(in, i32, bins, "lists,2")                                                 \
  F(in, i32, listed, "listings>solids")                                       \
  F(in, f64, place, "points,3")                                               \
  F(out, i32, cell, "points")                                                 \
  F(inc, u64, faults, "1")
KERNEL(overset_search_3d, OVERSET_SEARCH_3D, indirect)
{
  const struct vec3 p    = place_of(place, i);
  const f64         at[] = {p.x, p.y, p.z};
  i32               list[2], found = -1;
  f64               w[4];
  if (overset_list_3d(at, box, across, bins, list)) {
    for (i32 e = list[0]; e < list[0] + list[1] && found < 0; e++)
      found = overset_within(x, parts, corner, listed[e], p, w) < 0 ? -1 : listed[e];
  } else {
    for (i32 k = 0; k < 3; k++)
      if (!(at[k] - at[k] == 0)) fault(faults, FAULT_PLACE, i);
  }
  cell[i] = found;
}

/* Weights of the corners of a cell at a place in it, zero but in the tetrahedron that holds the place. */
#define OVERSET_WEIGHTS_3D(F)                                                          \
  F(near, f64, x, "nodes,3")                                                           \
  F(in, i32, parts, "solids+1>>tetrahedra")                                            \
  F(in, i32, corner, "tetrahedra,4>nodes")                                             \
  F(in, i32, spots, "tetrahedra") /* places of its corners in the cell, 3 bits each */ \
  F(in, f64, place, "points,3")                                                        \
  F(in, i32, cell, "points>solids?")                                                   \
  F(val, i32, wide, "") /* corners of a cell */                                        \
  F(out, f64, weights, "points,wide")
KERNEL(overset_weights_3d, OVERSET_WEIGHTS_3D, indirect)
{
  f64       w[4], *to = weights + (size_t)wide * (size_t)i;
  const i32 t = cell[i] < 0 ? -1 : overset_within(x, parts, corner, cell[i], place_of(place, i), w);
  for (i32 k = 0; k < wide; k++) to[k] = 0;
  for (i32 k = 0; t >= 0 && k < 4; k++) to[spots[t] >> (3 * k) & 7] = w[k];
}
