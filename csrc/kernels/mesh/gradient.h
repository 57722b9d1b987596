/* gradient.h - gradients of the primitive variables and their limits at the nodes (docs/theory.md, section
 * 2.2), in the units of gas.h per chord; once per dimension.                                      */

/* Inverse of sum w dr dr^T, w = |dr|^-2: the least-squares matrix of a mesh's node.  Zero, and with it the
 * gradient, where neighbours lie on one line, as that of a cell in a corner of the boundary does: a fit of no
 * meaning.                                                                                      */
#define MESH_LEAST_SQUARES(F) LEAST_SQUARES(F) BLUNT(F)
KERNEL(N(least_squares), MESH_LEAST_SQUARES, indirect)
{
  f64 sum[NS];
  N(fit_matrix)(i, x, offsets, neighbour, steep_at(blunt, i), sum);
  if (N(fit_flat)(sum))
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

/* The gradient times the smallest limiters of these changes; eps2 has the thresholds squared. */
HD void N(slope_limit)(struct N(asked) * r, const real *eps2, struct N(slope) * s)
{
  real phi[2];
  N(asked_together)(r);
  for (i32 k = 0; k < 2; k++) {
    const real a = limiter_venkatakrishnan(s->high[k], r->up[k], eps2[k]);
    const real b = limiter_venkatakrishnan(s->low[k], r->down[k], eps2[k]);
    phi[k]       = smaller(smaller(a, b), N(asked_bound)(r, s, k));
  }
  N(slope_share)(phi[BY_DENSITY], r->velocity, phi[BY_PRESSURE], s);
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

/* The gradient times the smallest limiter of the node's edges.  Where the limiter is below 1 it falls with the
 * change that the gradient asks for, so of density and pressure the largest change up and the largest one down
 * decide: two divisions per variable instead of one per edge.  Of the velocity each edge has a direction of its
 * own, along which all neighbours are compared.                                                 */
HD void N(node_limit)(const i32 i, const i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour,
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
    r.velocity = smaller(limiter_along(room, square, eps2[BY_VELOCITY]), r.velocity);
  }
  N(slope_limit)(&r, eps2, s);
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
  F(in, f64, x, "nodes," STR(DIM))        \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, inverse, "nodes," STR(NS))  \
  F(in, real, q, "nodes," STR(NV))        \
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
 * takes a share of it from what fluxes reconstruct).                                            */
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
    N(node_solve)(whole + NS * i, &own);
    N(node_put)(i, lane, &own, slope);
  }
  N(node_solve)(inverse + NS * i, s);
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

/* Thresholds squared of Wang's form, K times the range over the member (theory eq. 2.4b).  That of the velocity is
 * twice the largest speed relative to the stream, the size of the least ball about the stream that has all.  */
HD void N(wang_threshold)(const f64 *range, const i32 m, const real K, real *eps2)
{
  const f64 *r     = range + NR * m;
  const real least = R(1e-20); /* a uniform state has no range: limiter is 1 */
  const real rho = K * (real)(r[0] + r[1]), p = K * (real)(r[2] + r[3]);
  eps2[BY_DENSITY]  = rho * rho + least;
  eps2[BY_PRESSURE] = p * p + least;
  eps2[BY_VELOCITY] = R(4) * K * K * (real)r[4] + least;
}

/* Limited gradient with that threshold. */
#define ALE_GRADIENT_WANG(F)                                             \
  ALE_LIMIT_FIELDS(F)                                                    \
  F(in, f64, range, "members," STR(NR)) /* from state_primitive_range */ \
  F(val, real, K, "")                                                    \
  F(out, real, grad, "nodes," STR(NG))
HD void N(gradient_wang)(const i32 i, const i32 lane, const real *whole, real *slope ALE_GRADIENT_WANG(PARAM))
{
  if (!active[member[i]]) return;
  real eps2[LIMITS];
  struct N(slope) s;
  N(wang_threshold)(range, member[i], K, eps2);
  N(node_gradient_beside)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), whole, slope, &s);
  N(node_limit)(i, lane, x, offsets, neighbour, q, edge, xf, eps2, &s);
  N(node_put)(i, lane, &s, grad);
}

TEAM(N(ale_gradient_wang), ALE_GRADIENT_WANG, wide, PAIR)
{
  N(gradient_wang)(i, lane, 0, 0 ALE_GRADIENT_WANG(NAME));
}

/* Limited and whole gradients together. */
#define VISCOUS_GRADIENT_WANG(F) ALE_GRADIENT_WANG(F) WHOLE_GRADIENT(F)
TEAM(N(viscous_gradient_wang), VISCOUS_GRADIENT_WANG, wide, PAIR)
{
  N(gradient_wang)(i, lane, whole, slope ALE_GRADIENT_WANG(NAME));
}

/* Venkatakrishnan's own threshold (K h)^3, h = sqrt(V), in space cbrt(V) (theory eq. 2.4a). */
HD void N(venkatakrishnan_threshold)(const f64 V, const real K, real *eps2)
{
  const real h = K * (DIM == 2 ? sqrt((real)V) : cbrt((real)V));
  for (i32 k = 0; k < LIMITS; k++) eps2[k] = h * h * h + R(1e-20);
}

/* Limited gradient with that threshold. */
#define ALE_GRADIENT_VENKATAKRISHNAN(F) \
  ALE_LIMIT_FIELDS(F)                   \
  F(in, f64, V, "nodes")                \
  F(val, real, K, "")                   \
  F(out, real, grad, "nodes," STR(NG))
HD void N(gradient_venkatakrishnan)(const i32 i, const i32 lane, const real *whole,
                                    real *slope ALE_GRADIENT_VENKATAKRISHNAN(PARAM))
{
  if (!active[member[i]]) return;
  real eps2[LIMITS];
  struct N(slope) s;
  N(venkatakrishnan_threshold)(V[i], K, eps2);
  N(node_gradient_beside)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), whole, slope, &s);
  N(node_limit)(i, lane, x, offsets, neighbour, q, edge, xf, eps2, &s);
  N(node_put)(i, lane, &s, grad);
}

TEAM(N(ale_gradient_venkatakrishnan), ALE_GRADIENT_VENKATAKRISHNAN, wide, PAIR)
{
  N(gradient_venkatakrishnan)(i, lane, 0, 0 ALE_GRADIENT_VENKATAKRISHNAN(NAME));
}

/* Limited and whole gradients together. */
#define VISCOUS_GRADIENT_VENKATAKRISHNAN(F) ALE_GRADIENT_VENKATAKRISHNAN(F) WHOLE_GRADIENT(F)
TEAM(N(viscous_gradient_venkatakrishnan), VISCOUS_GRADIENT_VENKATAKRISHNAN, wide, PAIR)
{
  N(gradient_venkatakrishnan)(i, lane, whole, slope ALE_GRADIENT_VENKATAKRISHNAN(NAME));
}
