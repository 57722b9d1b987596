/* gradient.h - gradients on clouds by least squares: those of mesh/gradient.h, with the weights of clouds
 * (docs/meshless.md, eq. M.1), averaged over satellites, within bounds; once per dimension.  Units of gas.h per chord. */

#define CLOUD_GRADIENT(F) ALE_GRADIENT(F) F(val, i32, squared, "")
TEAM(N(cloud_gradient), CLOUD_GRADIENT, wide, PAIR)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(node_gradient)(i, lane, x, offsets, neighbour, inverse, q, squared, &s);
  N(node_bound)(i, lane, x, offsets, neighbour, 0, 0, &s);
  N(node_put)(i, lane, &s, grad);
}

/* The mean of a point's gradients and its satellites', and where variables are given their room.  With
 * upwind fluxes of second order the gradients of the nearest satellites alone let some changes grow on
 * clouds without order: the mean looks farther, and stays exact for linear fields.              */
HD void N(cloud_mean)(i32 i, i32 lane, const i32 *offsets, const i32 *neighbour, const real *raw, const real *q,
                      struct N(slope) * s)
{
  NEIGHBOURS(offsets[i] + lane, offsets[i + 1], PARTS(PAIR));
  N(slope_begin)(q, i, s);
  EACH_NEIGHBOUR(e, j)
  {
    real there[NV], g[NG];
    N(slope_load)(raw + NG * j, g);
    N(state_load)(q + NV * j, there);
    N(slope_widen)(there, s);
    for (i32 k = 0; k < NG; k++) s->g[k] += g[k];
  }
  N(slope_together)(s);
  const real per = reciprocal((real)(1 + offsets[i + 1] - offsets[i]));
  for (i32 k = 0; k < NG; k++) s->g[k] = per * (s->g[k] + raw[NG * i + k]);
}

#define CLOUD_SMOOTH(F)                \
  NODE_GRAPH(F)                        \
  F(near, f64, x, "nodes," STR(DIM))   \
  F(near, real, raw, "nodes," STR(NG)) \
  F(near, real, q, "nodes," STR(NV))   \
  F(out, real, grad, "nodes," STR(NG))
TEAM(N(cloud_smooth), CLOUD_SMOOTH, wide, PAIR)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(cloud_mean)(i, lane, offsets, neighbour, raw, q, &s);
  N(node_bound)(i, lane, x, offsets, neighbour, 0, 0, &s);
  N(node_put)(i, lane, &s, grad);
}
