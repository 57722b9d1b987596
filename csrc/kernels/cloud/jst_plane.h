/* jst_plane.h - central fluxes with the dissipation of Jameson, Schmidt and Turkel (Zhang et al. 2018, eq. 8
 * to 10; docs/meshless.md) on meshes of points in the plane.  Units as in residual.h.                 */

/* What JST's dissipation asks of a point (Zhang et al. eq. 9): the mean difference to its satellites
 * less what the gradient explains of it, so that linear fields have none on any cloud, and the sensor
 * |sum (p_j - p_i)| / sum (p_j + p_i).                                                          */
#define CLOUD_ROUGHNESS(F)              \
  NODE_GRAPH(F)                         \
  F(near, f64, x, "nodes," STR(DIM))    \
  F(near, real, q, "nodes," STR(NV))    \
  F(in, real, grad, "nodes," STR(NG))   \
  F(out, real, rough, "nodes," STR(NV)) \
  F(out, real, sensor, "nodes")
KERNEL(N(cloud_roughness), CLOUD_ROUGHNESS, heavy)
{
  if (!active[member[i]]) return;
  real own[NV], g[NG], sum[NV] = {0}, up = 0, all = 0;
  N(state_load)(q + NV * i, own), N(slope_load)(grad + NG * i, g);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real there[NV], d[DIM];
    N(fit_apart)(x, i, neighbour[e], d);
    N(state_load)(q + NV * neighbour[e], there);
    for (i32 k = 0; k < NV; k++) sum[k] += there[k] - own[k] - N(vec_dot)(g + DIM * k, d);
    up += there[PRESSURE] - own[PRESSURE], all += there[PRESSURE] + own[PRESSURE];
  }
  const real per = R(1) / (real)(offsets[i + 1] - offsets[i]);
  for (i32 k = 0; k < NV; k++) sum[k] *= per;
  N(state_put)(rough + NV * i, sum);
  sensor[i] = fabs(up) / all;
}

/* Central fluxes with JST's dissipation (Zhang et al. eq. 8 to 10). */
#define CLOUD_JST(F)                     \
  CLOUD_RESIDUAL_FIELDS(F)               \
  F(near, real, rough, "nodes," STR(NV)) \
  F(near, real, sensor, "nodes")         \
  F(val, real, k2, "")                   \
  F(val, real, k4, "")                   \
  F(out, real, res, "nodes," STR(NV))
KERNEL(N(cloud_jst), CLOUD_JST, heavy)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real *v = velocity + DIM * i;
  real        own[NV], ri[NV], li[NV], ui[NV], sum[NV] = {0};
  N(state_load)(q + NV * i, own), N(state_load)(rough + NV * i, ri);
  N(gas_conserved_change)(own, ri, li);
  N(gas_conserved)(own, ui);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32 j = neighbour[e];
    real      there[NV], rj[NV], lj[NV], uj[NV], d[DIM], a[DIM], f[NV], g[NV];
    N(state_load)(q + NV * j, there), N(state_load)(rough + NV * j, rj);
    const real w      = N(cloud_satellite)(x, i, j, inverse, v, squared, d, a);
    const real lambda = R(0.5) * (N(gas_radius)(own, a, w) + N(gas_radius)(there, a, w));
    const real e2 = k2 * larger(sensor[i], sensor[j]), e4 = larger(k4 - e2, R(0));
    N(gas_conserved_change)(there, rj, lj);
    N(gas_conserved)(there, uj);
    N(gas_flux)(there, a, w, f);
    N(gas_flux)(own, a, w, g);
    for (i32 k = 0; k < NV; k++) sum[k] += f[k] - g[k] - R(2) * lambda * (e2 * (uj[k] - ui[k]) - e4 * (lj[k] - li[k]));
  }
  N(cloud_store)(i, sum, (real)V[i], u, past, bdf[3 * m], PLANE_OF(i, m), res);
}
