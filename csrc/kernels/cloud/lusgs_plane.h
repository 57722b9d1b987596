/* lusgs_plane.h - LU-SGS by colours on a cloud in the plane (lusgs.h). */

#define CLOUD_LUSGS(F)                                                   \
  LUSGS_ROWS(F)                                                          \
  CLOUD_FIELDS(F)                                                        \
  F(in, i32, wall, "nodes>bnodes?") /* which point of the walls it is */ \
  F(in, real, normal, "bnodes,2")                                        \
  F(in, real, gap, "bnodes,2") /* s */                                   \
  LUSGS_STEP(F)
TEAM(cloud_lusgs, CLOUD_LUSGS, heavy, PAIR)
{
  const i32 a = node[i], m = member[a], wall_point = wall[a];
  NEIGHBOURS(offsets[a] + lane, offsets[a + 1], PARTS(PAIR));
  if (!active[m]) return;
  const real *v     = velocity + 2 * a;
  const real  per_V = reciprocal((real)V[a]);
  real        own[4], to[4], sum = 0, open[2] = {0};
  load4(q + 4 * a, own);
  for (i32 k = 0; k < 4; k++) to[k] = lane ? R(0) : -per_V * res[4 * a + k];
  EACH_NEIGHBOUR(e, b)
  {
    real there[4], away[2], s[2], d[4], df[4];
    load4(q + 4 * b, there);
    const real w      = cloud_satellite(x, a, b, inverse, v, squared, away, s);
    const real lambda = larger(gas_radius(own, s, w), gas_radius(there, s, w));
    sum += lambda;
    for (i32 k = 0; k < 2; k++) open[k] += s[k];
    if (cold && row_of[b] > i) continue;
    load4(du + 4 * b, d);
    gas_jacobian_apply(there, s, w, d, df);
    for (i32 k = 0; k < 4; k++) to[k] -= df[k] - lambda * d[k];
  }
  sum = together(sum, PAIR);
  for (i32 k = 0; k < 2; k++) open[k] = together(open[k], PAIR);
  for (i32 k = 0; k < 4; k++) to[k] = together(to[k], PAIR);
  const real *unit = wall_point >= 0 ? normal + 2 * wall_point : 0;
  if (unit) along(unit, open);
  const real d = cloud_pivot(own, open, vec_dot(v, open), sum, cfl[m] * pace[a], bdf[3 * m]);
  cloud_solve_row(own, unit, unit ? gap + 2 * wall_point : 0, d, to);
  if (lane == 0) put4(du + 4 * a, to);
}
