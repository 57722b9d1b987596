/* limit.h - a limiter of gradients, on median duals of meshes, those of a viscous gas, cells, and where there is ON_CLOUDS
 * points of clouds.  Included once per limiter (limiters.h) and dimension; units as in mesh/gradient.h.
 *   VARIANT    ending of the kernels ale_gradient, viscous_gradient, cell_gradient, cloud_gradient, cloud_smooth: _wang
 *   READS(F)   fields that thresholds follow from
 *   THRESHOLD  what puts the thresholds of volume i into eps2[LIMITS]
 *   SCALAR     (room, d, eps2): limiter of density or pressure, of the change d that a gradient asks for, with which it
 *              falls
 *   VECTOR     (along, square, eps2): that of the velocity, of the room along a change times its size, and that squared
 */
#ifdef LISTED
LISTED(OF(ale_gradient), nodes)
LISTED(OF(viscous_gradient), nodes)
LISTED(OF(cell_gradient), nodes)
#ifdef ON_CLOUDS
LISTED(OF(cloud_gradient), nodes)
LISTED(OF(cloud_smooth), nodes)
#endif
#else
/* The gradient times the smallest limiters of these changes; eps2 has the thresholds squared. */
HD void OF(slope_limit)(struct N(asked) * r, const real *eps2, struct N(slope) * s)
{
  real phi[2];
  N(asked_together)(r);
  for (i32 k = 0; k < 2; k++) {
    const real a = SCALAR(s->high[k], r->up[k], eps2[k]);
    const real b = SCALAR(s->low[k], r->down[k], eps2[k]);
    phi[k]       = smaller(smaller(a, b), N(asked_bound)(r, s, k));
  }
  N(slope_share)(phi[BY_DENSITY], r->velocity, phi[BY_PRESSURE], s);
}

/* The gradient times the smallest limiter of the node's edges.  Where the limiter is below 1 it falls with the
 * change that the gradient asks for, so of density and pressure the largest change up and the largest one down
 * decide: two divisions per variable instead of one per edge.  Of the velocity each edge has a direction of its
 * own, along which all neighbours are compared.                                                 */
HD void OF(node_limit)(const i32 i, const i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour,
                       const real *q, const i32 *edge, const f64 *xf, const real *eps2, struct N(slope) * s)
{
  struct N(asked) r;
  f64 at[DIM];
  N(place_load)(x, i, at);
  N(asked_begin)(&r);
  for (i32 e = offsets[i] + lane; e < offsets[i + 1]; e += PARTS(PAIR)) {
    real way[DIM], to[DIM], room = 0;
    N(node_way)(at, e, x, neighbour, edge, xf, way);
    const real square = N(asked_way)(way, s, to, &r);
    room              = N(asked_room)(q + NV * neighbour[e], to, s, room);
    for (i32 o = offsets[i]; o < offsets[i + 1] && room < R(2) * square; o++) /* from there on the limiter is 1 */
      room = N(asked_room)(q + NV * neighbour[o], to, s, room);
    r.velocity = smaller(VECTOR(room, square, eps2[BY_VELOCITY]), r.velocity);
  }
  OF(slope_limit)(&r, eps2, s);
}

#define LIMITED_GRADIENT(F) ALE_LIMIT_FIELDS(F) READS(F) F(out, real, grad, "nodes," STR(NG))
HD void OF(limited_gradient)(const i32 i, const i32 lane, const real *whole, real *slope LIMITED_GRADIENT(PARAM))
{
  if (!active[member[i]]) return;
  real eps2[LIMITS];
  struct N(slope) s;
  THRESHOLD;
  N(node_gradient_beside)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), whole, slope, &s);
  OF(node_limit)(i, lane, x, offsets, neighbour, q, edge, xf, eps2, &s);
  N(node_put)(i, lane, &s, grad);
}

TEAM(OF(ale_gradient), LIMITED_GRADIENT, wide, PAIR)
{
  OF(limited_gradient)(i, lane, 0, 0 LIMITED_GRADIENT(NAME));
}

/* Limited and whole gradients together. */
#define LIMITED_VISCOUS(F)  LIMITED_GRADIENT(F) WHOLE_GRADIENT(F)
TEAM(OF(viscous_gradient), LIMITED_VISCOUS, wide, PAIR)
{
  OF(limited_gradient)(i, lane, whole, slope LIMITED_GRADIENT(NAME));
}

/* Limited by the ranges over the cell, those across its faces and the values at its corners, at the middles of all
 * its faces (gradient.h).  Corners bring in the cells that meet the cell there alone: with the three of a triangle
 * Venkatakrishnan's form did not converge, and drag was larger by a fifth (docs/theory.md, section 8). */
HD void OF(cell_limit)(const i32 i, const i32 lane, const real *eps2, struct N(slope) * s CELL_LIMIT_FIELDS(PARAM))
{
  const i32 sides = N(cell_sides)(i HULLS(NAME) CELL_SIDES(NAME));
  struct N(asked) r;
  N(asked_begin)(&r);
  N(cell_widen)(i, q, s CELL_SIDES(NAME));
  for (i32 c = lane; c < sides; c += PARTS(PAIR)) {
    real way[DIM], to[DIM];
    N(side_way)(i, c, way HULLS(NAME) CELL_SIDES(NAME));
    const real square = N(asked_way)(way, s, to, &r);
    const real room   = N(cell_room)(i, to, s CELL_LIMIT_FIELDS(NAME));
    r.velocity        = smaller(VECTOR(room, square, eps2[BY_VELOCITY]), r.velocity);
  }
  OF(slope_limit)(&r, eps2, s);
}

#define LIMITED_CELLS(F) CELL_LIMIT_FIELDS(F) READS(F) F(out, real, grad, "nodes," STR(NG))
TEAM(OF(cell_gradient), LIMITED_CELLS, wide, PAIR)
{
  if (!active[member[i]]) return;
  real eps2[LIMITS];
  struct N(slope) s;
  THRESHOLD;
  N(cell_slope)(i, lane, &s CELL_GRADIENT_FIELDS(NAME));
  OF(cell_limit)(i, lane, eps2, &s CELL_LIMIT_FIELDS(NAME));
  N(node_put)(i, lane, &s, grad);
}

#ifdef ON_CLOUDS
#define LIMITED_POINTS(F) LIMITED_GRADIENT(F) F(val, i32, squared, "")
TEAM(OF(cloud_gradient), LIMITED_POINTS, wide, PAIR)
{
  if (!active[member[i]]) return;
  real eps2[LIMITS];
  struct N(slope) s;
  THRESHOLD;
  N(node_gradient)(i, lane, x, offsets, neighbour, inverse, q, squared, &s);
  OF(node_limit)(i, lane, x, offsets, neighbour, q, 0, 0, eps2, &s);
  N(node_put)(i, lane, &s, grad);
}

#define LIMITED_MEANS(F) CLOUD_SMOOTH(F) READS(F)
TEAM(OF(cloud_smooth), LIMITED_MEANS, wide, PAIR)
{
  if (!active[member[i]]) return;
  real eps2[LIMITS];
  struct N(slope) s;
  THRESHOLD;
  N(cloud_mean)(i, lane, offsets, neighbour, raw, q, &s);
  OF(node_limit)(i, lane, x, offsets, neighbour, q, 0, 0, eps2, &s);
  N(node_put)(i, lane, &s, grad);
}
#endif
#endif
#undef VARIANT
#undef READS
#undef THRESHOLD
#undef SCALAR
#undef VECTOR
#undef ON_CLOUDS
