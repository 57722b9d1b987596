/* lusgs_plane.h - LU-SGS by colours on a cloud in the plane (lusgs.h). */

#define CLOUD_LUSGS(F)                                                   \
  LUSGS_ROWS(F)                                                          \
  CLOUD_FIELDS(F)                                                        \
  F(in, i32, wall, "nodes>bnodes?") /* which point of the walls it is */ \
  F(in, real, normal, "bnodes," STR(DIM))                                \
  F(in, real, gap, "bnodes," STR(DIM)) /* s */                           \
  LUSGS_STEP(F)
TEAM(N(cloud_lusgs), CLOUD_LUSGS, heavy, PAIR)
{
  const i32 a = node[i], m = member[a], wall_point = wall[a];
  NEIGHBOURS(offsets[a] + lane, offsets[a + 1], PARTS(PAIR));
  if (!active[m]) return;
  const real *v     = velocity + DIM * a;
  const real  per_V = reciprocal((real)V[a]);
  real        own[NV], to[NV], sum = 0, open[DIM] = {0};
  N(state_load)(q + NV * a, own);
  for (i32 k = 0; k < NV; k++) to[k] = lane ? R(0) : -per_V * res[NV * a + k];
  EACH_NEIGHBOUR(e, b)
  {
    real there[NV], away[DIM], s[DIM], d[NV], df[NV];
    N(state_load)(q + NV * b, there);
    const real w      = N(cloud_satellite)(x, a, b, inverse, v, squared, away, s);
    const real lambda = larger(N(gas_radius)(own, s, w), N(gas_radius)(there, s, w));
    sum += lambda;
    for (i32 k = 0; k < DIM; k++) open[k] += s[k];
    if (cold && row_of[b] > i) continue;
    N(state_load)(du + NV * b, d);
    N(gas_jacobian_apply)(there, s, w, d, df);
    for (i32 k = 0; k < NV; k++) to[k] -= df[k] - lambda * d[k];
  }
  sum = together(sum, PAIR);
  for (i32 k = 0; k < DIM; k++) open[k] = together(open[k], PAIR);
  for (i32 k = 0; k < NV; k++) to[k] = together(to[k], PAIR);
  const real *unit = wall_point >= 0 ? normal + DIM * wall_point : 0;
  if (unit) N(along)(unit, open);
  const real d = N(cloud_pivot)(own, open, N(vec_dot)(v, open), sum, cfl[m] * pace[a], bdf[3 * m]);
  N(cloud_solve_row)(own, unit, unit ? gap + DIM * wall_point : 0, d, to);
  if (lane == 0) N(state_put)(du + NV * a, to);
}
