/* jst_space.h - central fluxes with the dissipation of Jameson, Schmidt and Turkel (Zhang et al. 2018, eq. 8
 * to 10; docs/meshless.md) on meshes of points in space.  Units as in residual.h.                 */

/* JST's sensor (Zhang et al. eq. 9): |sum (p_j - p_i)| / sum (p_j + p_i). */
#define CLOUD_SENSOR(F)              \
  NODE_GRAPH(F)                      \
  F(near, real, q, "nodes," STR(NV)) \
  F(out, real, sensor, "nodes")
KERNEL(N(cloud_sensor), CLOUD_SENSOR, indirect)
{
  if (!active[member[i]]) return;
  const real own = q[NV * i + PRESSURE];
  real       up = 0, all = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const real there = q[NV * neighbour[e] + PRESSURE];
    up += there - own, all += there + own;
  }
  sensor[i] = fabs(up) / all;
}

/* JST's fluxes in space.  Dissipation of fourth order is not of the mean differences of both ends, as in
 * the plane, but of the third difference between them, which their gradients give (docs/meshless.md,
 * eq. M.3b).  A mean mixes directions: on cells a hundred times as long as high it is that of the long
 * ones, and as dissipation along the short ones it took half of a wing's lift.  On clouds without
 * order it is the more accurate, so that the plane keeps it.                                     */
#define CLOUD_JST_SPACE(F)              \
  CLOUD_RESIDUAL_FIELDS(F)              \
  F(out, real, radius, "nodes")         \
  F(near, real, grad, "nodes," STR(NG)) \
  F(near, real, sensor, "nodes")        \
  F(val, real, k2, "")                  \
  F(val, real, k4, "")                  \
  F(out, real, res, "nodes," STR(NV))
KERNEL(N(cloud_jst), CLOUD_JST_SPACE, wide)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real *v = velocity + DIM * i;
  real        own[NV], gi[NG], ui[NV], sum[NV] = {0}, all = 0;
  N(state_load)(q + NV * i, own), N(slope_load)(grad + NG * i, gi);
  N(gas_conserved)(own, ui);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32 j = neighbour[e];
    real      there[NV], gj[NG], mean[NV], third[NV], up[NV], uj[NV], d[DIM], a[DIM], f[NV], g[NV];
    N(state_load)(q + NV * j, there), N(slope_load)(grad + NG * j, gj);
    const real w      = N(cloud_satellite)(x, i, j, inverse, v, squared, d, a);
    const real lambda = R(0.5) * (N(gas_radius)(own, a, w) + N(gas_radius)(there, a, w));
    all += lambda;
    const real e2 = k2 * larger(sensor[i], sensor[j]), e4 = larger(k4 - e2, R(0));
    for (i32 k = 0; k < NV; k++) {
      third[k] = R(0.5) * (N(vec_dot)(gi + DIM * k, d) + N(vec_dot)(gj + DIM * k, d)) - (there[k] - own[k]);
      mean[k]  = R(0.5) * (own[k] + there[k]);
    }
    N(gas_conserved_change)(mean, third, up);
    N(gas_conserved)(there, uj);
    N(gas_flux)(there, a, w, f);
    N(gas_flux)(own, a, w, g);
    for (i32 k = 0; k < NV; k++) sum[k] += f[k] - g[k] - R(2) * lambda * (e2 * (uj[k] - ui[k]) - e4 * up[k]);
  }
  radius[i] = all;
  N(cloud_store)(i, sum, (real)V[i], u, past, bdf[3 * m], PLANE_OF(i, m), res);
}
