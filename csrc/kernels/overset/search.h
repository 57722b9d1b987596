/* search.h - the cell of a mesh in the plane that holds a point, by bins (lists.h), and the weights of the cell's
 * corners there (docs/overset.md).  Places [chord].                                                */

/* Whether a cell of the plane holds p.  A triangle is a quadrilateral with a side of no length, and all sides
 * are looked at: four places that are read at once are waited for once.                          */
HD i32 overset_holds(const f64 *x, const i32 *corners, i32 cell, struct vec2 p)
{
  i32 k[4];
  load4_words(corners + 4 * cell, (uint32_t *)k);
  k[3]                    = k[3] < 0 ? k[2] : k[3];
  const struct vec2 at[4] = {point(x, k[0]), point(x, k[1]), point(x, k[2]), point(x, k[3])};
  i32               holds = 1;
  for (i32 a = 3, b = 0; b < 4; a = b++) holds &= inside_side(k[a], k[b], at[a], at[b], p);
  return holds;
}

/* The lowest cell of a list that holds p, or -1. */
HD i32 overset_first(const f64 *x, const i32 *corners, const i32 *listed, const i32 *list, struct vec2 p)
{
  for (i32 e = list[0]; e < list[0] + list[1]; e++)
    if (overset_holds(x, corners, listed[e], p)) return listed[e];
  return -1;
}

/* Weights of a cell's corners at p in it: linear in a triangle, bilinear in a quadrilateral. */
HD void overset_weigh(const f64 *x, const i32 *corners, i32 cell, struct vec2 p, f64 *w)
{
  const i32        *k = corners + 4 * cell;
  const struct vec2 o = point(x, k[0]), u = minus(point(x, k[1]), o), v = minus(point(x, k[2]), o), q = minus(p, o);
  if (k[3] < 0) {
    inside_triangle(u, v, q, w);
  } else {
    const struct vec2 s = minus(point(x, k[3]), o);
    inside_quad(u, s, minus(minus(v, u), s), q, w);
  }
}

/* The lowest cell that holds each place; -1 where none does, and a fault where a coordinate is not finite. */
#define OVERSET_SEARCH(F)                                                            \
  F(near, f64, x, "nodes," STR(DIM))                                                 \
  F(in, i32, corners, "cells,4>nodes?")                                              \
  F(in, f64, box, "2," STR(DIM)) /* least place; bins of the first grid per chord */ \
  F(in, i32, across, STR(DIM))   /* bins of the first grid along each axis */        \
  F(in, i32, bins, "bins,2")                                                         \
  F(in, i32, listed, "listings>cells")                                               \
  F(in, f64, place, "points," STR(DIM))                                              \
  F(out, i32, cell, "points")                                                        \
  F(inc, u64, faults, "1")
KERNEL(overset_search, OVERSET_SEARCH, indirect)
{
  f64 p[DIM];
  N(place_load)(place, i, p);
  i32 list[2], found = -1;
  if (N(overset_list)(p, box, across, bins, list)) {
    found = overset_first(x, corners, listed, list, vec2_of(p[0], p[1]));
  } else {
    for (i32 k = 0; k < DIM; k++)
      if (!(p[k] - p[k] == 0)) fault(faults, FAULT_PLACE, i);
  }
  cell[i] = found;
}

/* The weights of a cell's corners at a place in it: linear in a triangle, bilinear in a quadrilateral, zero
 * without a cell.                                                                              */
#define OVERSET_WEIGHTS(F)              \
  F(near, f64, x, "nodes," STR(DIM))    \
  F(in, i32, corners, "cells,4>nodes?") \
  F(in, f64, place, "points," STR(DIM)) \
  F(in, i32, cell, "points>cells?")     \
  F(out, f64, weights, "points,4")
KERNEL(overset_weights, OVERSET_WEIGHTS, indirect)
{
  f64 w[4] = {0, 0, 0, 0};
  if (cell[i] >= 0) overset_weigh(x, corners, cell[i], point(place, i), w);
  put4_f64(weights + 4 * i, w);
}
