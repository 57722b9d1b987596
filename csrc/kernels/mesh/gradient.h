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

/* A node has two lanes, in the plane of two variables each: one repeats the geometry too rarely to pay,
 * four too often.  An odd count of variables has a lane for each.                               */
#undef SPLIT
#if NV % 2 == 0
#define SPLIT 2
#else
#define SPLIT NV
#endif
#define OF_LANE (NV / SPLIT)             /* variables of a lane */
#define MINE    (OF_LANE * WIDTH(SPLIT)) /* of the lanes of a thread */

/* What lanes know of their variables: the values, the gradients g[DIM k] = dq_k/dx, and the ranges over the
 * node and its neighbours.                                                                      */
struct N(slope) {
  real own[MINE], g[DIM * MINE], low[MINE], high[MINE];
};

HD void N(lane_load)(const real *q, const i32 i, const i32 lane, real *to)
{
  LOAD(MINE, q + NV * i + OF_LANE * lane, to);
}

/* Least-squares side of the lanes' variables, with weights |dr|^-2 (meshes) or |dr|^-1 (clouds), in the place of
 * their gradients.                                                                              */
HD void N(node_side)(const i32 i, const i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *q,
                     const i32 squared, struct N(slope) * s)
{
  N(lane_load)(q, i, lane, s->own);
  for (i32 k = 0; k < MINE; k++) {
    s->low[k] = s->high[k] = s->own[k];
    for (i32 l = 0; l < DIM; l++) s->g[DIM * k + l] = 0;
  }
  f64 at[DIM];
  N(place_load)(x, i, at);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32 j = neighbour[e];
    real      d[DIM], there[MINE];
    N(fit_way)(at, x, j, d);
    const real w = N(fit_weight)(d, squared);
    N(lane_load)(q, j, lane, there);
    for (i32 k = 0; k < MINE; k++) {
      const real v = there[k], up = w * (v - s->own[k]);
      s->low[k]  = v < s->low[k] ? v : s->low[k];
      s->high[k] = v > s->high[k] ? v : s->high[k];
      N(vec_add)(s->g + DIM * k, up, d);
    }
  }
}

/* The gradients, of their side. */
HD void N(node_solve)(const real *inverse, struct N(slope) * s)
{
  for (i32 k = 0; k < MINE; k++) {
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

/* The largest changes up and down that the gradient asks for so far, with that on one more way. */
HD void N(slope_reach)(const real *way, real *up, real *down, const struct N(slope) * s)
{
  real d[MINE];
  for (i32 k = 0; k < MINE; k++) d[k] = N(vec_dot)(s->g + DIM * k, way);
  for (i32 k = 0; k < MINE; k++) up[k] = larger(d[k], up[k]);
  for (i32 k = 0; k < MINE; k++) down[k] = smaller(d[k], down[k]);
}

/* The gradient times the smaller limiter of these two changes, each variable on its own; eps2 is the threshold
 * squared. */
HD void N(slope_limit)(const real *up, const real *down, const real *eps2, struct N(slope) * s)
{
  real a[MINE], b[MINE], phi[MINE];
  for (i32 k = 0; k < MINE; k++) a[k] = limiter_venkatakrishnan(s->high[k] - s->own[k], up[k], eps2[k]);
  for (i32 k = 0; k < MINE; k++) b[k] = limiter_venkatakrishnan(s->low[k] - s->own[k], down[k], eps2[k]);
  for (i32 k = 0; k < MINE; k++) phi[k] = smaller(smaller(a[k], b[k]), R(1));
  for (i32 k = 0; k < DIM * MINE; k++) s->g[k] *= phi[k / DIM];
}

/* The gradient times the smallest limiter of the node's edges.  Where the limiter is below 1 it falls with the
 * change that the gradient asks for, so the largest change up and the largest one down decide: two divisions
 * per variable instead of one per edge.                                                         */
HD void N(node_limit)(const i32 i, const f64 *x, const i32 *offsets, const i32 *neighbour, const i32 *edge,
                      const f64 *xf, const real *eps2, struct N(slope) * s)
{
  real up[MINE], down[MINE];
  f64  at[DIM];
  N(place_load)(x, i, at);
  for (i32 k = 0; k < MINE; k++) up[k] = down[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real way[DIM];
    if (xf && edge) {
      for (i32 l = 0; l < DIM; l++) way[l] = (real)(xf[DIM * edge[e] + l] - at[l]);
    } else {
      N(fit_way)(at, x, neighbour[e], way);
      for (i32 l = 0; l < DIM; l++) way[l] *= R(0.5);
    }
    N(slope_reach)(way, up, down, s);
  }
  N(slope_limit)(up, down, eps2, s);
}

HD void N(node_put)(const i32 i, const i32 lane, const struct N(slope) * s, real *grad)
{
  PUT(DIM * MINE, grad + NG * i + DIM * OF_LANE * lane, s->g);
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
#define ALE_GRADIENT(F) ALE_GRADIENT_FIELDS(F) F(out, real, grad, "nodes," STR(NG))
LANES(N(ale_gradient), ALE_GRADIENT, busy, SPLIT)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(node_gradient)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), &s);
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
LANES(N(viscous_gradient), VISCOUS_GRADIENT, busy, SPLIT)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(node_gradient_beside)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), whole, slope, &s);
  N(node_put)(i, lane, &s, grad);
}

/* Threshold squared of Wang's form, K (max - min) over the member (theory eq. 2.4b). */
HD void N(wang_threshold)(const f64 *range, const i32 m, const i32 lane, const real K, real *eps2)
{
  const f64 *r = range + NR * m + OF_LANE * lane;
  for (i32 k = 0; k < MINE; k++) {
    const real span = K * (real)(r[k] + r[NV + k]);
    eps2[k]         = span * span + R(1e-20); /* a uniform state has no range: limiter is 1 */
  }
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
  real eps2[MINE];
  struct N(slope) s;
  N(wang_threshold)(range, member[i], lane, K, eps2);
  N(node_gradient_beside)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), whole, slope, &s);
  N(node_limit)(i, x, offsets, neighbour, edge, xf, eps2, &s);
  N(node_put)(i, lane, &s, grad);
}

LANES(N(ale_gradient_wang), ALE_GRADIENT_WANG, busy, SPLIT)
{
  N(gradient_wang)(i, lane, 0, 0 ALE_GRADIENT_WANG(NAME));
}

/* Limited and whole gradients together. */
#define VISCOUS_GRADIENT_WANG(F) ALE_GRADIENT_WANG(F) WHOLE_GRADIENT(F)
LANES(N(viscous_gradient_wang), VISCOUS_GRADIENT_WANG, busy, SPLIT)
{
  N(gradient_wang)(i, lane, whole, slope ALE_GRADIENT_WANG(NAME));
}

/* Venkatakrishnan's own threshold (K h)^3, h = sqrt(V), in space cbrt(V) (theory eq. 2.4a). */
HD void N(venkatakrishnan_threshold)(const f64 V, const real K, real *eps2)
{
  const real h = K * (DIM == 2 ? sqrt((real)V) : cbrt((real)V));
  for (i32 k = 0; k < MINE; k++) eps2[k] = h * h * h + R(1e-20);
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
  real eps2[MINE];
  struct N(slope) s;
  N(venkatakrishnan_threshold)(V[i], K, eps2);
  N(node_gradient_beside)(i, lane, x, offsets, neighbour, inverse, q, steep_at(blunt, i), whole, slope, &s);
  N(node_limit)(i, x, offsets, neighbour, edge, xf, eps2, &s);
  N(node_put)(i, lane, &s, grad);
}

LANES(N(ale_gradient_venkatakrishnan), ALE_GRADIENT_VENKATAKRISHNAN, busy, SPLIT)
{
  N(gradient_venkatakrishnan)(i, lane, 0, 0 ALE_GRADIENT_VENKATAKRISHNAN(NAME));
}

/* Limited and whole gradients together. */
#define VISCOUS_GRADIENT_VENKATAKRISHNAN(F) ALE_GRADIENT_VENKATAKRISHNAN(F) WHOLE_GRADIENT(F)
LANES(N(viscous_gradient_venkatakrishnan), VISCOUS_GRADIENT_VENKATAKRISHNAN, busy, SPLIT)
{
  N(gradient_venkatakrishnan)(i, lane, whole, slope ALE_GRADIENT_VENKATAKRISHNAN(NAME));
}
