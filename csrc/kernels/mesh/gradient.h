/* gradient.h - gradients of the primitive variables at the nodes and their bounds (docs/theory.md, section 2.2), in the
 * units of gas.h per chord; once per dimension.  Their limiters are made by limit.h.              */

/* Inverse of sum w dr dr^T, w = |dr|^-2 or at blunt nodes |dr|^-1: the least-squares matrix of a mesh's node.  Zero,
 * and with it the gradient, where neighbours lie on one line, in space in one plane, as that of a cell in a corner of
 * the boundary does; and at nodes of a `fold`, whose neighbours lay in one plane where the mesh was given: a fit of no
 * meaning, which as the mesh bends follows from how far they are off that plane.                */
#define MESH_LEAST_SQUARES(F) \
  LEAST_SQUARES(F)            \
  F(opt, i32, fold, "nodes")  \
  BLUNT(F)
KERNEL(N(least_squares), MESH_LEAST_SQUARES, indirect)
{
  f64 sum[NS];
  N(fit_matrix)(i, x, offsets, neighbour, 1, sum);
  const i32 none = N(fit_level)(sum) || (fold && fold[i]);
  if (!steep_at(blunt, i)) N(fit_matrix)(i, x, offsets, neighbour, 0, sum);
  if (none || N(fit_flat)(sum))
    for (i32 k = 0; k < NS; k++) inverse[NS * i + k] = 0;
  else
    N(fit_invert)(sum, inverse + NS * i);
}

/* Variables that a limiter looks at: density and pressure each on its own, the velocity as one vector. */
#undef LIMITS
#undef BY_DENSITY
#undef BY_PRESSURE
#undef BY_VELOCITY
#define BY_DENSITY  0
#define BY_PRESSURE 1
#define BY_VELOCITY 2
#define LIMITS      3

/* What a node knows of its variables: the values, the gradients g[DIM k] = dq_k/dx, and the room of density and
 * pressure down and up to the least and the greatest of the neighbours.  The lanes of a team share the neighbours. */
struct N(slope) {
  real own[NV], g[NG], low[2], high[2];
};

HD void N(slope_begin)(const real *q, const i32 i, struct N(slope) * s)
{
  N(state_load)(q + NV * i, s->own);
  for (i32 k = 0; k < NG; k++) s->g[k] = 0;
  for (i32 k = 0; k < 2; k++) s->low[k] = s->high[k] = 0;
}

HD void N(slope_widen)(const real *there, struct N(slope) * s)
{
  const real up[2] = {there[DENSITY] - s->own[DENSITY], there[PRESSURE] - s->own[PRESSURE]};
  for (i32 k = 0; k < 2; k++) s->low[k] = smaller(up[k], s->low[k]);
  for (i32 k = 0; k < 2; k++) s->high[k] = larger(up[k], s->high[k]);
}

/* What the lanes of a team have found of sums and room. */
HD void N(slope_together)(struct N(slope) * s)
{
  for (i32 k = 0; k < NG; k++) s->g[k] = together(s->g[k], PAIR);
  for (i32 k = 0; k < 2; k++) s->low[k] = -largest_together(-s->low[k], PAIR);
  for (i32 k = 0; k < 2; k++) s->high[k] = largest_together(s->high[k], PAIR);
}

/* Least-squares side of the variables, with weights |dr|^-2 (meshes) or |dr|^-1 (clouds), in the place of their
 * gradients.                                                                                    */
HD void N(node_side)(const i32 i, const i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *q,
                     const i32 squared, struct N(slope) * s)
{
  NEIGHBOURS(offsets[i] + lane, offsets[i + 1], PARTS(PAIR));
  N(slope_begin)(q, i, s);
  f64 at[DIM];
  N(place_load)(x, i, at);
  EACH_NEIGHBOUR(e, j)
  {
    real d[DIM], there[NV];
    N(fit_way)(at, x, j, d);
    const real w = N(fit_weight)(d, squared);
    N(state_load)(q + NV * j, there);
    N(slope_widen)(there, s);
    for (i32 k = 0; k < NV; k++) N(vec_add)(s->g + DIM * k, w * (there[k] - s->own[k]), d);
  }
  N(slope_together)(s);
}

/* The gradients, of their side. */
HD void N(node_solve)(const real *inverse, struct N(slope) * s)
{
  for (i32 k = 0; k < NV; k++) {
    real b[DIM];
    for (i32 l = 0; l < DIM; l++) b[l] = s->g[DIM * k + l];
    N(fit_apply)(inverse, b, s->g + DIM * k);
  }
}

HD void N(node_gradient)(const i32 i, const i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour,
                         const real *inverse, const real *q, const i32 squared, struct N(slope) * s)
{
  N(node_side)(i, lane, x, offsets, neighbour, q, squared, s);
  N(node_solve)(inverse + NS * i, s);
}

/* What limiters have found on the ways so far: the largest changes up and down of density and pressure that the
 * gradient asks for, and the smallest limiter of the velocity.                                  */
struct N(asked) {
  real up[2], down[2], velocity;
};

HD void N(asked_begin)(struct N(asked) * r)
{
  for (i32 k = 0; k < 2; k++) r->up[k] = r->down[k] = 0;
  r->velocity = 1;
}

/* One more way: the changes of density and pressure that the gradient asks for. */
HD void N(asked_scalars)(const real *way, const struct N(slope) * s, struct N(asked) * r)
{
  const real d[2] = {N(vec_dot)(s->g + DIM * DENSITY, way), N(vec_dot)(s->g + DIM * PRESSURE, way)};
  for (i32 k = 0; k < 2; k++) r->up[k] = larger(d[k], r->up[k]);
  for (i32 k = 0; k < 2; k++) r->down[k] = smaller(d[k], r->down[k]);
}

/* One more way, with the velocity: gives the change `to` that the gradient asks for, along which the neighbours'
 * velocities are compared, so that no axis has a part in it, and its square.                    */
HD real N(asked_way)(const real *way, const struct N(slope) * s, real *to, struct N(asked) * r)
{
  N(asked_scalars)(way, s, r);
  for (i32 l = 0; l < DIM; l++) to[l] = N(vec_dot)(s->g + DIM * (VELOCITY + l), way);
  return N(vec_dot)(to, to);
}

/* The room that a neighbour's velocity leaves along that change, times its size, or what others do where that is
 * more. */
HD real N(asked_room)(const real *there, const real *to, const struct N(slope) * s, real room)
{
  real along = 0;
  for (i32 l = 0; l < DIM; l++) along += (there[VELOCITY + l] - s->own[VELOCITY + l]) * to[l];
  return larger(along, room);
}

/* Largest changes and least limiter over the lanes of a team. */
HD void N(asked_together)(struct N(asked) * r)
{
  for (i32 k = 0; k < 2; k++) r->up[k] = largest_together(r->up[k], PAIR);
  for (i32 k = 0; k < 2; k++) r->down[k] = -largest_together(-r->down[k], PAIR);
  r->velocity = -largest_together(-r->velocity, PAIR);
}

/* Largest share of the gradient of density or pressure with which no face leaves the neighbours' range by more than
 * that range itself (theory eq. 2.4d).                                                          */
HD real N(asked_bound)(const struct N(asked) * r, const struct N(slope) * s, const i32 k)
{
  const real range = s->high[k] - s->low[k], up = s->high[k] + range, down = s->low[k] - range;
  real       share = 1;
  if (r->up[k] > up) share = up / r->up[k];
  if (r->down[k] < down) share = smaller(down / r->down[k], share);
  return share;
}

HD void N(slope_share)(const real density, const real velocity, const real pressure, struct N(slope) * s)
{
  N(vec_scale)(density, s->g + DIM * DENSITY);
  for (i32 l = 0; l < DIM; l++) N(vec_scale)(velocity, s->g + DIM * (VELOCITY + l));
  N(vec_scale)(pressure, s->g + DIM * PRESSURE);
}

/* The gradient within the bound alone. */
HD void N(slope_bound)(struct N(asked) * r, struct N(slope) * s)
{
  N(asked_together)(r);
  N(slope_share)(N(asked_bound)(r, s, BY_DENSITY), 1, N(asked_bound)(r, s, BY_PRESSURE), s);
}

/* The way to the place where a limiter looks: the middle of a face, or midway to the neighbour. */
HD void N(node_way)(const f64 *at, const i32 e, const f64 *x, const i32 *neighbour, const i32 *edge, const f64 *xf,
                    real *way)
{
  if (xf && edge) {
    for (i32 l = 0; l < DIM; l++) way[l] = (real)(xf[DIM * edge[e] + l] - at[l]);
    return;
  }
  N(fit_way)(at, x, neighbour[e], way);
  for (i32 l = 0; l < DIM; l++) way[l] *= R(0.5);
}

/* The gradient within the bound over a node's edges. */
HD void N(node_bound)(const i32 i, const i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour,
                      const i32 *edge, const f64 *xf, struct N(slope) * s)
{
  struct N(asked) r;
  f64 at[DIM];
  N(place_load)(x, i, at);
  N(asked_begin)(&r);
  for (i32 e = offsets[i] + lane; e < offsets[i + 1]; e += PARTS(PAIR)) {
    real way[DIM];
    N(node_way)(at, e, x, neighbour, edge, xf, way);
    N(asked_scalars)(way, s, &r);
  }
  N(slope_bound)(&r, s);
}

HD void N(node_put)(const i32 i, const i32 lane, const struct N(slope) * s, real *grad)
{
  if (lane) return;
  PUT(NG, grad + NG * i, s->g);
}

#define ALE_GRADIENT_FIELDS(F)            \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(near, f64, x, "nodes," STR(DIM))      \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, inverse, "nodes," STR(NS))  \
  F(near, real, q, "nodes," STR(NV))      \
  BLUNT(F)
/* Fields for the places where limiters look: middles of faces, or, where there are none, midway to neighbours. */
#define ALE_LIMIT_FIELDS(F)          \
  ALE_GRADIENT_FIELDS(F)             \
  F(opt, i32, edge, "entries>edges") \
  F(opt, f64, xf, "edges," STR(DIM))
#define ALE_GRADIENT(F) ALE_LIMIT_FIELDS(F) F(out, real, grad, "nodes," STR(NG))
TEAM(N(ale_gradient), ALE_GRADIENT, wide, PAIR)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(node_gradient)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), &s);
  N(node_bound)(i, lane, x, offsets, neighbour, edge, xf, &s);
  N(node_put)(i, lane, &s, grad);
}

/* Gradients that viscosity takes: without limits, whose part across a curved layer is whole (space/layers.py
 * takes a share of it from what fluxes reconstruct), with weights |d|^-2 in space too.          */
#define WHOLE_GRADIENT(F)              \
  F(in, real, whole, "nodes," STR(NS)) \
  F(out, real, slope, "nodes," STR(NG))
HD void N(node_gradient_beside)(const i32 i, const i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour,
                                const real *inverse, const real *q, const i32 squared, const real *whole, real *slope,
                                struct N(slope) * s)
{
  N(node_side)(i, lane, x, offsets, neighbour, q, squared, s);
  if (slope) {
    struct N(slope) own = *s;
    if (DIM == 3 && !squared) N(node_side)(i, lane, x, offsets, neighbour, q, 1, &own);
    N(node_solve)(whole + NS * i, &own);
    N(node_put)(i, lane, &own, slope);
  }
  N(node_solve)(inverse + NS * i, s);
}

/* These alone. */
#define GRADIENT_ALONE(F)            \
  NODE_GRAPH(F)                      \
  F(near, f64, x, "nodes," STR(DIM)) \
  F(near, real, q, "nodes," STR(NV)) \
  WHOLE_GRADIENT(F)
TEAM(N(whole_gradient), GRADIENT_ALONE, wide, PAIR)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(node_gradient)(i, lane, x, offsets, neighbour, whole, q, 1, &s);
  N(node_put)(i, lane, &s, slope);
}

#define VISCOUS_GRADIENT(F) ALE_GRADIENT(F) WHOLE_GRADIENT(F)
TEAM(N(viscous_gradient), VISCOUS_GRADIENT, wide, PAIR)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(node_gradient_beside)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), whole, slope, &s);
  N(node_bound)(i, lane, x, offsets, neighbour, edge, xf, &s);
  N(node_put)(i, lane, &s, grad);
}
