/* cloud/roe.h - the Euler equations on a moving cloud of points (docs/meshless.md; Zhang et al. 2018,
 * Wang et al.), once per dimension.  With a_ij the coefficients of least squares with weights |d|^-1
 * or |d|^-2,
 *   div F = 2 sum_j [F_ij - F(W_i).a_ij],   F relative to the velocity of point i itself,
 * so that a uniform stream has no residual on any cloud, however it moves.  Residuals are times
 * the point's share V of space, a constant that only weighs the norms.
 *
 * At a boundary the satellites leave s = -2 n (n . sum_j a_ij) open (see cloud_open), n its unit
 * normal out of the fluid; through it goes the boundary's flux less what the point's own state would carry.  At a plane
 * of symmetry every satellite has a mirror image with the state mirrored: the sum of both is that of
 * the satellites alone with coefficients that do not couple across and along, without its momentum
 * across.                                                                                       */
#ifndef CLOUD_FIELDS_ONCE
#define CLOUD_FIELDS_ONCE
#define CLOUD_VELOCITY(F)             \
  F(in, i32, member, "nodes>members") \
  F(in, f64, rate, "members,2")       \
  F(in, f64, x, "nodes," STR(DIM))    \
  F(in, f64, x1, "nodes," STR(DIM))   \
  F(in, f64, x2, "nodes," STR(DIM))   \
  F(out, real, velocity, "nodes," STR(DIM))
#define CLOUD_LEAST_SQUARES(F) LEAST_SQUARES(F) F(val, i32, squared, "")
#define CLOUD_FIELDS(F)                                     \
  NODE_GRAPH(F)                                             \
  F(in, f64, x, "nodes," STR(DIM))                          \
  F(in, real, inverse, "nodes," STR(NS))                    \
  F(in, real, velocity, "nodes," STR(DIM))                  \
  F(val, i32, squared, "") /* weights |d|^-2, not |d|^-1 */ \
  F(in, real, q, "nodes," STR(NV))
#define CLOUD_RESIDUAL_FIELDS(F)      \
  CLOUD_FIELDS(F)                     \
  CLOUD_PLANE(F)                      \
  F(in, f64, V, "nodes")              \
  F(in, real, u, "nodes," STR(NV))    \
  F(in, real, past, "nodes," STR(NV)) \
  F(in, f64, bdf, "members,3")
#define CLOUD_RESIDUAL(F)                                       \
  CLOUD_RESIDUAL_FIELDS(F)                                      \
  CLOUD_RADIUS(F)                                               \
  F(in, real, grad, "nodes," STR(NG))                           \
  F(in, f64, low_mach, "members,2") /* z, 1 / z */              \
  F(val, real, fix, "")                                         \
  F(out, i32, lowered, "nodes") /* satellites at first order */ \
  F(out, real, res, "nodes," STR(NV))
#define CLOUD_ROUGHNESS(F)              \
  NODE_GRAPH(F)                         \
  F(in, f64, x, "nodes," STR(DIM))      \
  F(in, real, q, "nodes," STR(NV))      \
  F(in, real, grad, "nodes," STR(NG))   \
  F(out, real, rough, "nodes," STR(NV)) \
  F(out, real, sensor, "nodes")
#define CLOUD_JST(F)                   \
  CLOUD_RESIDUAL_FIELDS(F)             \
  F(in, real, rough, "nodes," STR(NV)) \
  F(in, real, sensor, "nodes")         \
  F(val, real, k2, "")                 \
  F(val, real, k4, "")                 \
  F(out, real, res, "nodes," STR(NV))
#define CLOUD_SENSOR(F)     \
  NODE_GRAPH(F)             \
  F(in, real, q, "nodes,5") \
  F(out, real, sensor, "nodes")
#define CLOUD_JST_3D(F)         \
  CLOUD_RESIDUAL_FIELDS(F)      \
  CLOUD_RADIUS(F)               \
  F(in, real, grad, "nodes,15") \
  F(in, real, sensor, "nodes")  \
  F(val, real, k2, "")          \
  F(val, real, k4, "")          \
  F(out, real, res, "nodes,5")
#define CLOUD_OPEN(F)                     \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, f64, x, "nodes," STR(DIM))        \
  F(in, real, inverse, "nodes," STR(NS))  \
  F(val, i32, squared, "")                \
  F(in, real, normal, "bnodes," STR(DIM)) \
  F(out, real, gap, "bnodes," STR(DIM))
#define CLOUD_SIDE(F)                      \
  F(in, i32, node, "bnodes>nodes!")        \
  F(in, i32, member, "nodes>members")      \
  F(in, i32, active, "members")            \
  F(in, real, velocity, "nodes," STR(DIM)) \
  F(in, real, q, "nodes," STR(NV))         \
  F(in, f64, V, "nodes")                   \
  F(in, real, normal, "bnodes," STR(DIM))  \
  F(in, real, gap, "bnodes," STR(DIM)) /* s */
#define CLOUD_CLOSE(F)                        \
  F(in, i32, node, "bnodes>nodes!")           \
  F(in, i32, at_wall, "bnodes>walls?")        \
  F(in, i32, at_far, "bnodes>fars?")          \
  F(in, i32, member, "nodes>members")         \
  F(in, i32, active, "members")               \
  F(in, real, velocity, "nodes," STR(DIM))    \
  F(in, real, q, "nodes," STR(NV))            \
  F(in, f64, V, "nodes")                      \
  CLOUD_PLANE(F)                              \
  F(in, real, wall_normal, "walls," STR(DIM)) \
  F(in, real, wall_gap, "walls," STR(DIM))    \
  F(in, real, far_gap, "fars," STR(DIM))      \
  F(in, f64, x, "nodes," STR(DIM))            \
  F(in, f64, stream, "members," STR(NV))      \
  F(opt, f64, strength, "members")            \
  F(in, f64, centre, "members,2")             \
  F(in, f64, low_mach, "members,2")           \
  F(val, real, fix, "")                       \
  F(rw, real, res, "nodes," STR(NV))
#define CLOUD_STEP(F)                \
  CLOUD_FIELDS(F)                    \
  F(in, f64, pace, "nodes")          \
  F(in, real, u, "nodes," STR(NV))   \
  F(val, real, rk_cfl, "")           \
  F(out, real, u0, "nodes," STR(NV)) \
  F(out, real, step, "nodes")
#define CLOUD_STAGE(F)                \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, f64, V, "nodes")              \
  F(in, f64, bdf, "members,3")        \
  F(in, real, step, "nodes")          \
  F(in, real, u0, "nodes," STR(NV))   \
  F(in, real, res, "nodes," STR(NV))  \
  F(val, real, share, "")             \
  F(rw, real, u, "nodes," STR(NV))    \
  F(out, real, q, "nodes," STR(NV))   \
  F(inc, u64, faults, "members")
#endif

/* The sum of lambda over the satellites of a point, which sweeps in space do not work out again
 * (cloud_lusgs.h).                                                                              */
#undef CLOUD_RADIUS
#undef PUT_RADIUS
#if DIM == 2
#define CLOUD_RADIUS(F)
#define PUT_RADIUS(all) (void)(all)
#else
#define CLOUD_RADIUS(F) F(out, real, radius, "nodes")
#define PUT_RADIUS(all)                           \
  const real radius_       = together(all, PAIR); \
  if (lane == 0) radius[i] = radius_
#endif

/* Velocity of the points from their last places (theory eq. 2.13 without volumes). */
KERNEL(N(cloud_velocity), CLOUD_VELOCITY, indirect)
{
  const f64 *r = rate + 2 * member[i];
  for (i32 k = DIM * i; k < DIM * (i + 1); k++) velocity[k] = (real)(r[0] * (x[k] - x1[k]) + r[1] * (x1[k] - x2[k]));
}

/* Inverse of sum w dr dr^T, w = |dr|^-1 or, squared, |dr|^-2: the least-squares matrix of a point. */
KERNEL(N(cloud_least_squares), CLOUD_LEAST_SQUARES, indirect)
{
  f64 sum[NS];
  N(fit_matrix)(i, x, offsets, neighbour, squared, sum);
  N(fit_invert)(sum, inverse + NS * i);
}

/* Coefficients of a satellite from the way there, and the point's own velocity along them. */
HD real N(cloud_coefficients)(const real *d, const real *inverse, const real *v, i32 squared, real *a)
{
  const real w = N(fit_weight)(d, squared);
  N(fit_apply)(inverse, d, a);
  for (i32 k = 0; k < DIM; k++) a[k] *= w;
  return N(vec_dot)(v, a);
}

/* Satellite j as point i sees it: the way there and the same. */
HD real N(cloud_satellite)(const f64 *x, i32 i, i32 j, const real *inverse, const real *v, i32 squared, real *d,
                           real *a)
{
  N(fit_apart)(x, i, j, d);
  return N(cloud_coefficients)(d, inverse + NS * i, v, squared, a);
}

/* res = V (div F + c0 u) + past; c0 and past are nothing where the march is to a steady state.  On a
 * plane of symmetry (its unit normal) it has no momentum across.                                */
HD void N(cloud_store)(i32 i, const real *sum, real V, const real *u, const real *past, f64 c0, const real *unit,
                       real *res)
{
  real r[NV], own[NV], before[NV];
  if (c0 == 0) {
    for (i32 k = 0; k < NV; k++) r[k] = V * sum[k];
  } else {
    N(state_load)(u + NV * i, own), N(state_load)(past + NV * i, before);
    for (i32 k = 0; k < NV; k++) r[k] = V * (sum[k] + (real)c0 * own[k]) + before[k];
  }
  if (unit) N(along)(unit, r + 1);
  N(state_put)(res + NV * i, r);
}

#if DIM == 2
/* Harmonic mean of two differences of one sign, else nothing (van Leer; Wang et al. eq. 7). */
HD real limiter_van_leer(real a, real b)
{
  const real ab = a * b;
  return ab > 0 ? R(2) * ab * reciprocal(a + b) : R(0);
}
#endif

/* States at the middle between i and its satellite, from gradients that are limited already, or by
 * van Leer's limiter between the two differences that a side knows.                             */
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

HD void N(cloud_states_van_leer)(const real *qi, const real *qj, const real *gi, const real *gj, const real *d, real *l,
                                 real *r)
{
  for (i32 k = 0; k < NV; k++) {
    const real up = qj[k] - qi[k];
    const real di = R(2) * N(vec_dot)(gi + DIM * k, d) - up, dj = R(2) * N(vec_dot)(gj + DIM * k, d) - up;
    l[k] = qi[k] + R(0.5) * limiter_van_leer(di, up);
    r[k] = qj[k] - R(0.5) * limiter_van_leer(dj, up);
  }
}

/* F(W_i) is linear in a_ij: its part is taken off at once, by their sum. */
#ifndef CLOUD_ROE_BODY
#define CLOUD_ROE_BODY(states)                                                            \
  const i32 m = member[i];                                                                \
  NEIGHBOURS(offsets[i] + lane, offsets[i + 1], PARTS(PAIR));                             \
  if (!active[m]) return;                                                                 \
  const real          *plane_of = PLANE_OF(i, m);                                         \
  const f64            c0       = bdf[3 * m];                                             \
  const struct damping by       = damping_of(fix, low_mach + 2 * m);                      \
  real                 own[NV], sum[NV] = {0}, f[NV], open[DIM] = {0}, all = 0;           \
  i32                  low = 0;                                                           \
  KEEP(real, fit, NG + NS + DIM, PAIR);                                                   \
  KEEP(f64, at, DIM + 1, PAIR);                                                           \
  BRING(at, 0, DIM, PAIR, x + DIM * i);                                                   \
  BRING(fit, 0, NG, PAIR, grad + NG * i);                                                 \
  BRING(fit, NG, NS, PAIR, inverse + NS * i);                                             \
  BRING(fit, NG + NS, DIM, PAIR, velocity + DIM * i);                                     \
  BRING(at, DIM, 1, PAIR, V + i);                                                         \
  N(state_load)(q + NV * i, own);                                                         \
  ARRIVED_ALONE(PAIR);                                                                    \
  EACH_NEIGHBOUR(e, j)                                                                    \
  {                                                                                       \
    real there[NV], gj[NG], d[DIM], a[DIM], l[NV], r[NV], gi[NG], own_fit[NS], v[DIM];    \
    f64  here[DIM], place[DIM];                                                           \
    N(state_load)(q + NV * j, there);                                                     \
    for (i32 k = 0; k < DIM; k++) place[k] = x[DIM * j + k];                              \
    ARRIVED(e, PAIR);                                                                     \
    N(slope_load)(grad + NG * j, gj);                                                     \
    for (i32 k = 0; k < DIM; k++) here[k] = KEPT(at, k, PAIR);                            \
    for (i32 k = 0; k < NS; k++) own_fit[k] = KEPT(fit, NG + k, PAIR);                    \
    for (i32 k = 0; k < NG; k++) gi[k] = KEPT(fit, k, PAIR);                              \
    for (i32 k = 0; k < DIM; k++) v[k] = KEPT(fit, NG + NS + k, PAIR);                    \
    for (i32 k = 0; k < DIM; k++) d[k] = (real)(place[k] - here[k]);                      \
    const real w = N(cloud_coefficients)(d, own_fit, v, squared, a);                      \
    N(states)(own, there, gi, gj, d, l, r);                                               \
    if (!(l[0] > 0 && r[0] > 0 && l[NV - 1] > 0 && r[NV - 1] > 0)) { /* see ale_flux.h */ \
      for (i32 k = 0; k < NV; k++) l[k] = own[k], r[k] = there[k];                        \
      low++;                                                                              \
    }                                                                                     \
    all += N(flux_roe_twice)(l, r, a, w, by, f);                                          \
    for (i32 k = 0; k < NV; k++) sum[k] += f[k];                                          \
    for (i32 k = 0; k < DIM; k++) open[k] += a[k];                                        \
  }                                                                                       \
  low = (i32)together((real)low, PAIR);                                                   \
  for (i32 k = 0; k < NV; k++) sum[k] = together(sum[k], PAIR);                           \
  for (i32 k = 0; k < DIM; k++) open[k] = together(open[k], PAIR);                        \
  PUT_RADIUS(all);                                                                        \
  if (lane) return;                                                                       \
  real v[DIM];                                                                            \
  for (i32 k = 0; k < DIM; k++) v[k] = KEPT(fit, NG + NS + k, PAIR);                      \
  N(gas_flux)(own, open, N(vec_dot)(v, open), f);                                         \
  for (i32 k = 0; k < NV; k++) sum[k] -= R(2) * f[k];                                     \
  lowered[i] = low;                                                                       \
  N(cloud_store)(i, sum, (real)KEPT(at, DIM, PAIR), u, past, c0, plane_of, res)
#endif
TEAM(N(cloud_roe), CLOUD_RESIDUAL, CLOUD_LOOP, PAIR)
{
  CLOUD_ROE_BODY(cloud_states_limited);
}
TEAM(N(cloud_roe_van_leer), CLOUD_RESIDUAL, CLOUD_LOOP, PAIR)
{
  CLOUD_ROE_BODY(cloud_states_van_leer);
}

#if DIM == 2
/* What JST's dissipation asks of a point (Zhang et al. eq. 9): the mean difference to its satellites
 * less what the gradient explains of it, so that linear fields have none on any cloud, and the sensor
 * |sum (p_j - p_i)| / sum (p_j + p_i).                                                          */
KERNEL(cloud_roughness, CLOUD_ROUGHNESS, heavy)
{
  if (!active[member[i]]) return;
  real own[NV], g[NG], sum[NV] = {0}, up = 0, all = 0;
  N(state_load)(q + NV * i, own), N(slope_load)(grad + NG * i, g);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real there[NV], d[DIM];
    N(fit_apart)(x, i, neighbour[e], d);
    N(state_load)(q + NV * neighbour[e], there);
    for (i32 k = 0; k < NV; k++) sum[k] += there[k] - own[k] - N(vec_dot)(g + DIM * k, d);
    up += there[NV - 1] - own[NV - 1], all += there[NV - 1] + own[NV - 1];
  }
  const real per = R(1) / (real)(offsets[i + 1] - offsets[i]);
  for (i32 k = 0; k < NV; k++) sum[k] *= per;
  N(state_put)(rough + NV * i, sum);
  sensor[i] = fabs(up) / all;
}

/* Central fluxes with JST's dissipation (Zhang et al. eq. 8 to 10). */
KERNEL(cloud_jst, CLOUD_JST, heavy)
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
#else
/* JST's sensor (Zhang et al. eq. 9): |sum (p_j - p_i)| / sum (p_j + p_i). */
KERNEL(cloud_sensor_3d, CLOUD_SENSOR, indirect)
{
  if (!active[member[i]]) return;
  const real own = q[NV * i + NV - 1];
  real       up = 0, all = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const real there = q[NV * neighbour[e] + NV - 1];
    up += there - own, all += there + own;
  }
  sensor[i] = fabs(up) / all;
}

/* In space, in place of what differs between the mean differences of both ends, the third difference
 * along the way, by the gradients at both ends: on cells a hundred times as long as high the mean is
 * that of the long ways, and as dissipation along the short ones it took half of a wing's lift.  On
 * clouds without order the mean is the more accurate, so that it stays in the plane.            */
KERNEL(cloud_jst_3d, CLOUD_JST_3D, wide)
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
#endif

/* s of a point at a boundary: what its satellites leave open.  Those beyond an edge, or of a skewed set,
 * may count for more than those on the side of the fluid; s would then point into the fluid, and what
 * a wall should stop would grow.  So s is never less than a quarter of what the latter leave open.  */
KERNEL(N(cloud_open), CLOUD_OPEN, indirect)
{
  const i32   at   = node[i];
  const real *unit = normal + DIM * i;
  real        sum = 0, inner = 0, d[DIM], a[DIM];
  for (i32 e = offsets[at]; e < offsets[at + 1]; e++) {
    const real out = N(cloud_satellite)(x, at, neighbour[e], inverse, unit, squared, d, a);
    sum -= out, inner += larger(-out, R(0));
  }
  for (i32 k = 0; k < DIM; k++) gap[DIM * i + k] = R(2) * larger(sum, R(0.25) * inner) * unit[k];
}

/* The pressure that stops what would flow across a wall, to first order z times that of an acoustic
 * wave, is what goes through it; both flows tend to none with the spacing.                      */
HD void N(cloud_through_wall)(const real *own, const real *v, const real *unit, const real *s, real z, real *f)
{
  const real across = N(vec_dot)(own + 1, unit) - N(vec_dot)(v, unit);
  const real p      = own[NV - 1] + own[0] * (z * N(gas_sound)(own)) * across;
  f[0]              = 0;
  f[NV - 1]         = p * N(vec_dot)(v, s);
  for (i32 k = 0; k < DIM; k++) f[1 + k] = p * s[k];
}

/* res += V [through - F(W)].s: a boundary's flux in the place of the point's own.  Outside of the far
 * field is the stream; Roe's flux lets each characteristic bring its own side.                  */
KERNEL(N(cloud_close), CLOUD_CLOSE, CLOUD_LOOP)
{
  const i32 a = node[i], m = member[a], sides[2] = {at_wall[i], at_far[i]};
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *plane_of = PLANE_OF(a, m);
  real        own[NV], out[NV], through[NV], f[NV];
  N(state_load)(q + NV * a, own);
  for (i32 side = 0; side < 2; side++) {
    if (sides[side] < 0) continue;
    const real *s = (side ? far_gap : wall_gap) + DIM * sides[side];
    if (N(vec_dot)(s, s) == 0) continue; /* a sharp edge */
    if (side) {
      N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, x + DIM * a, out);
      N(flux_roe)(own, out, s, N(vec_dot)(v, s), damping_of(fix, low_mach + 2 * m), through);
    } else {
      N(cloud_through_wall)(own, v, wall_normal + DIM * sides[0], s, (real)low_mach[2 * m], through);
    }
    N(gas_flux)(own, s, N(vec_dot)(v, s), f);
    for (i32 k = 0; k < NV; k++) f[k] = through[k] - f[k];
    if (plane_of) N(along)(plane_of, f + 1);
    for (i32 k = 0; k < NV; k++) res[NV * a + k] += (real)V[a] * f[k];
  }
}

/* Local pseudo-step CFL / (sum of lambda + 2 lambda of what boundaries close); the state that the
 * stages start from.                                                                            */
KERNEL(N(cloud_step), CLOUD_STEP, CLOUD_LOOP)
{
  const i32 m = member[i];
  NEIGHBOURS(offsets[i], offsets[i + 1], 1);
  if (!active[m]) return;
  const real *v = velocity + DIM * i;
  real        own[NV], sum = 0, open[DIM] = {0};
  N(state_load)(q + NV * i, own);
  EACH_NEIGHBOUR(e, j)
  {
    real there[NV], d[DIM], a[DIM];
    N(state_load)(q + NV * j, there);
    const real w = N(cloud_satellite)(x, i, j, inverse, v, squared, d, a);
    sum += larger(N(gas_radius)(own, a, w), N(gas_radius)(there, a, w));
    for (i32 k = 0; k < DIM; k++) open[k] += a[k];
  }
  sum += R(2) * N(gas_radius)(own, open, N(vec_dot)(v, open));
  for (i32 k = NV * i; k < NV * (i + 1); k++) u0[k] = u[k];
  step[i] = rk_cfl * (real)pace[i] / sum;
}

/* A stage of the Runge-Kutta scheme, the physical time's own term implicit in the point. */
KERNEL(N(cloud_stage), CLOUD_STAGE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real t = share * step[i], c0 = (real)bdf[3 * m], per = reciprocal(R(1) + t * c0),
             per_V = reciprocal((real)V[i]);
  real r[NV], from[NV], to[NV];
  N(state_load)(res + NV * i, r), N(state_load)(u + NV * i, to), N(state_load)(u0 + NV * i, from);
  /* res has c0 u of the state that it was made of; the implicit one is that of the new state */
  for (i32 k = 0; k < NV; k++) from[k] = per * (from[k] - t * (per_V * r[k] - c0 * to[k]));
  N(state_put)(u + NV * i, from);
  N(state_primitive)(i, from, to, q, member, active, faults);
}
