/* roe.h - Roe's flux between a point and its satellites, of second order by gradients that are limited
 * already, or by van Leer's limiter between the two differences that a side knows
 * (docs/meshless.md); once per dimension.  Units as in residual.h.                                 */

/* States at the middle between i and its satellite. */
HD void N(cloud_states_limited)(const real *qi, const real *qj, const real *gi, const real *gj, const real *d, real *l,
                                real *r)
{
  real half[DIM];
  for (i32 k = 0; k < DIM; k++) half[k] = R(0.5) * d[k];
  for (i32 k = 0; k < NV; k++) {
    l[k] = qi[k], r[k] = qj[k];
    for (i32 n = 0; n < DIM; n++) l[k] += half[n] * gi[DIM * k + n], r[k] -= half[n] * gj[DIM * k + n];
  }
}

/* Van Leer's mean of two vectors, (|b| a + |a| b) / (|a| + |b|): of one direction the harmonic mean, of opposite ones
 * nothing, and turned as both are turned (docs/meshless.md).                                     */
HD void N(limiter_mean)(const real *a, const real *b, real *mean)
{
  const real la = sqrt(N(vec_dot)(a, a)), lb = sqrt(N(vec_dot)(b, b));
  const real per = la + lb > 0 ? reciprocal(la + lb) : R(0);
  for (i32 n = 0; n < DIM; n++) mean[n] = per * (lb * a[n] + la * b[n]);
}

HD void N(cloud_states_van_leer)(const real *qi, const real *qj, const real *gi, const real *gj, const real *d, real *l,
                                 real *r)
{
  for (i32 k = DENSITY; k < NV; k += PRESSURE) {
    const real up = qj[k] - qi[k];
    const real di = R(2) * N(vec_dot)(gi + DIM * k, d) - up, dj = R(2) * N(vec_dot)(gj + DIM * k, d) - up;
    l[k] = qi[k] + R(0.5) * limiter_van_leer(di, up);
    r[k] = qj[k] - R(0.5) * limiter_van_leer(dj, up);
  }
  real up[DIM], di[DIM], dj[DIM];
  for (i32 n = 0; n < DIM; n++) {
    const i32 k = VELOCITY + n;
    up[n] = qj[k] - qi[k], di[n] = R(2) * N(vec_dot)(gi + DIM * k, d) - up[n];
    dj[n] = R(2) * N(vec_dot)(gj + DIM * k, d) - up[n];
  }
  N(limiter_mean)(di, up, di), N(limiter_mean)(dj, up, dj);
  for (i32 n = 0; n < DIM; n++) l[VELOCITY + n] = qi[VELOCITY + n] + R(0.5) * di[n];
  for (i32 n = 0; n < DIM; n++) r[VELOCITY + n] = qj[VELOCITY + n] - R(0.5) * dj[n];
}

/* States of both sides at the middle, of positive density and pressure; 1 where a gradient asks for a negative one. */
HD i32 N(cloud_states)(i32 van_leer, const real *qi, const real *qj, const real *gi, const real *gj, const real *d,
                       real *l, real *r)
{
  if (van_leer)
    N(cloud_states_van_leer)(qi, qj, gi, gj, d, l, r);
  else
    N(cloud_states_limited)(qi, qj, gi, gj, d, l, r);
  const i32 from = N(gas_positive)(qi, l), at = N(gas_positive)(qj, r);
  return from || at;
}

/* The sum of lambda over the satellites of a point, which sweeps in space do not work out again
 * (lusgs_space.h).                                                                              */
#undef CLOUD_RADIUS
#if DIM == 2
#define CLOUD_RADIUS(F)
#else
#define CLOUD_RADIUS(F) F(out, real, radius, "nodes")
#endif
#define CLOUD_RESIDUAL(F)                                           \
  CLOUD_RESIDUAL_FIELDS(F)                                          \
  CLOUD_RADIUS(F)                                                   \
  F(near, real, grad, "nodes," STR(NG))                             \
  F(in, f64, low_mach, "members,2") /* z, 1 / z */                  \
  F(val, real, entropy_fix, "")                                     \
  F(out, i32, lowered, "nodes") /* satellites of negative states */ \
  F(out, real, res, "nodes," STR(NV))

/* F(W_i) is linear in a_ij: its part is taken off at once, by their sum. */
HD void N(cloud_roe_by)(const i32 i, const i32 lane, const i32 van_leer CLOUD_RESIDUAL(PARAM))
{
  const i32 m = member[i];
  NEIGHBOURS(offsets[i] + lane, offsets[i + 1], PARTS(PAIR));
  if (!active[m]) return;
  const real          *v  = velocity + DIM * i;
  const struct damping by = damping_of(entropy_fix, low_mach + 2 * m);
  real                 own[NV], sum[NV] = {0}, f[NV], open[DIM] = {0}, all = 0;
  i32                  low = 0;
  N(state_load)(q + NV * i, own);
  EACH_NEIGHBOUR(e, j)
  {
    real there[NV], gj[NG], d[DIM], a[DIM], l[NV], r[NV];
    N(state_load)(q + NV * j, there), N(slope_load)(grad + NG * j, gj);
    const real w = N(cloud_satellite)(x, i, j, inverse, v, squared, d, a);
    low += N(cloud_states)(van_leer, own, there, grad + NG * i, gj, d, l, r);
    all += N(flux_roe_twice)(l, r, a, w, by, f);
    for (i32 k = 0; k < NV; k++) sum[k] += f[k];
    for (i32 k = 0; k < DIM; k++) open[k] += a[k];
  }
  low = (i32)together((real)low, PAIR);
  for (i32 k = 0; k < NV; k++) sum[k] = together(sum[k], PAIR);
  for (i32 k = 0; k < DIM; k++) open[k] = together(open[k], PAIR);
#if DIM == 3
  all = together(all, PAIR);
  if (lane == 0) radius[i] = all;
#endif
  if (lane) return;
  N(gas_flux)(own, open, N(vec_dot)(v, open), f);
  for (i32 k = 0; k < NV; k++) sum[k] -= R(2) * f[k];
  lowered[i] = low;
  N(cloud_store)(i, sum, (real)V[i], u, past, bdf[3 * m], PLANE_OF(i, m), res);
}

TEAM(N(cloud_roe), CLOUD_RESIDUAL, wide, PAIR)
{
  N(cloud_roe_by)(i, lane, 0 CLOUD_RESIDUAL(NAME));
}

TEAM(N(cloud_roe_van_leer), CLOUD_RESIDUAL, wide, PAIR)
{
  N(cloud_roe_by)(i, lane, 1 CLOUD_RESIDUAL(NAME));
}
