/* cloud.h - the Euler equations on a moving cloud of points (docs/meshless.md; Zhang et al. 2018,
 * Wang et al.), once per dimension.  With a_ij the coefficients of the weighted least squares at i,
 *   div F = 2 sum_j [F_ij - F(W_i).a_ij],   F relative to the velocity of point i itself,
 * so that a uniform stream has no residual on any cloud, however it moves.  Residuals are times
 * the point's share V of space, a constant that only weighs the norms.
 *
 * At a wall point every satellite has a mirror image behind the tangent plane with the state
 * mirrored.  Both fluxes are each other's mirror images: their sum is that of the satellites alone
 * with coefficients that do not couple normal and tangent, without its momentum across the wall.
 * The same holds at a plane of symmetry, and at both planes where a wall meets one.             */
#ifndef CLOUD_FIELDS_ONCE
#define CLOUD_FIELDS_ONCE
enum cloud_kind { CLOUD_WALL = 1, CLOUD_FAR = 2, CLOUD_PLANE = 4 };
#define CLOUD_VELOCITY(F)             \
  F(in, i32, member, "nodes>members") \
  F(in, f64, rate, "members,2")       \
  F(in, f64, x, "nodes," STR(DIM))    \
  F(in, f64, x1, "nodes," STR(DIM))   \
  F(in, f64, x2, "nodes," STR(DIM))   \
  F(out, real, velocity, "nodes," STR(DIM))
#define CLOUD_BOUNDARY(F)                                               \
  F(in, i32, kind, "nodes")               /* of cloud_kind, added up */ \
  F(in, real, plane, "members," STR(DIM)) /* unit normal */             \
  F(in, real, normal, "nodes," STR(DIM))  /* wall or far field */
#define CLOUD_MIRROR(F)                                      \
  F(in, i32, node, "bnodes>nodes!")                          \
  F(in, i32, member, "nodes>members")                        \
  F(in, f64, x, "nodes," STR(DIM))                           \
  F(in, i32, offsets, "nodes+1>>entries")                    \
  F(in, i32, neighbour, "entries>nodes")                     \
  F(in, i32, kind, "nodes")                                  \
  F(in, real, plane, "members," STR(DIM))                    \
  F(val, i32, of, "") /* the kinds of boundary that count */ \
  F(rw, real, normal, "nodes," STR(DIM))                     \
  F(rw, real, inverse, "nodes," STR(NS))
#define CLOUD_FIELDS(F)                    \
  F(in, i32, member, "nodes>members")      \
  F(in, i32, active, "members")            \
  F(in, i32, offsets, "nodes+1>>entries")  \
  F(in, i32, neighbour, "entries>nodes")   \
  F(in, f64, x, "nodes," STR(DIM))         \
  F(in, real, inverse, "nodes," STR(NS))   \
  F(in, real, velocity, "nodes," STR(DIM)) \
  F(in, real, q, "nodes," STR(NV))
#define CLOUD_RESIDUAL_FIELDS(F)      \
  CLOUD_FIELDS(F)                     \
  CLOUD_BOUNDARY(F)                   \
  F(in, f64, V, "nodes")              \
  F(in, real, u, "nodes," STR(NV))    \
  F(in, real, past, "nodes," STR(NV)) \
  F(in, f64, bdf, "members,3")
#define CLOUD_RESIDUAL(F)                                       \
  CLOUD_RESIDUAL_FIELDS(F)                                      \
  F(in, real, grad, "nodes," STR(NG))                           \
  F(val, real, fix, "")                                         \
  F(out, i32, lowered, "nodes") /* satellites at first order */ \
  F(out, real, res, "nodes," STR(NV))
#define CLOUD_ROUGHNESS(F)                \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, f64, x, "nodes," STR(DIM))        \
  F(in, real, q, "nodes," STR(NV))        \
  F(in, real, grad, "nodes," STR(NG))     \
  F(out, real, rough, "nodes," STR(NV))   \
  F(out, real, sensor, "nodes")
#define CLOUD_JST(F)                   \
  CLOUD_RESIDUAL_FIELDS(F)             \
  F(in, real, rough, "nodes," STR(NV)) \
  F(in, real, sensor, "nodes")         \
  F(val, real, k2, "")                 \
  F(val, real, k4, "")                 \
  F(out, real, res, "nodes," STR(NV))
#define CLOUD_FARFIELD(F)                \
  F(in, i32, node, "bnodes>nodes!")      \
  CLOUD_RESIDUAL_FIELDS(F)               \
  F(in, f64, stream, "members," STR(NV)) \
  F(opt, f64, strength, "members")       \
  F(in, f64, centre, "members,2")        \
  F(val, real, fix, "")                  \
  F(rw, real, res, "nodes," STR(NV))
#define CLOUD_LUSGS(F)               \
  F(in, i32, node, "rows>nodes!")    \
  F(in, i32, row_of, "nodes>rows")   \
  CLOUD_FIELDS(F)                    \
  CLOUD_BOUNDARY(F)                  \
  F(in, f64, V, "nodes")             \
  F(in, f64, bdf, "members,3")       \
  F(in, f64, cfl, "members")         \
  F(in, f64, pace, "nodes")          \
  F(in, real, res, "nodes," STR(NV)) \
  F(val, i32, cold, "")              \
  F(upd, real, du, "rows," STR(NV))
#define CLOUD_SLIP(F)                      \
  F(in, i32, node, "bnodes>nodes!")        \
  F(in, i32, member, "nodes>members")      \
  F(in, i32, active, "members")            \
  CLOUD_BOUNDARY(F)                        \
  F(in, real, velocity, "nodes," STR(DIM)) \
  F(rw, real, u, "nodes," STR(NV))
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
  F(rw, real, u, "nodes," STR(NV))
#endif

/* Velocity of the points from their last places (theory eq. 2.13 without volumes). */
KERNEL(N(cloud_velocity), CLOUD_VELOCITY, indirect)
{
  const f64 *r = rate + 2 * member[i];
  for (i32 k = DIM * i; k < DIM * (i + 1); k++) velocity[k] = (real)(r[0] * (x[k] - x1[k]) + r[1] * (x1[k] - x2[k]));
}

/* Inverse of the least-squares matrix with what lies across walls, far field and symmetry plane apart
 * from what lies along them, and the boundary's normal made orthogonal to the plane.            */
KERNEL(N(cloud_mirror), CLOUD_MIRROR, indirect)
{
  const i32 a = node[i];
  f64       sum[NS], unit[DIM], across[DIM], along = 0, size = 0;
  for (i32 k = 0; k < DIM; k++) {
    unit[k]   = (f64)normal[DIM * a + k];
    across[k] = (f64)plane[DIM * member[a] + k];
    along += unit[k] * across[k];
  }
  N(fit_matrix)(a, x, offsets, neighbour, sum);
  if (kind[a] & of & CLOUD_PLANE) {
    for (i32 k = 0; k < DIM; k++) unit[k] -= along * across[k];
    for (i32 k = 0; k < DIM; k++) size += unit[k] * unit[k];
    for (i32 k = 0; k < DIM; k++) normal[DIM * a + k] = (real)(unit[k] = size > 0 ? unit[k] / sqrt(size) : 0);
    N(fit_mirror)(across, sum);
  }
  if (kind[a] & of & (CLOUD_WALL | CLOUD_FAR)) N(fit_mirror)(unit, sum);
  N(fit_invert)(sum, inverse + NS * a);
}

/* Satellite j as point i sees it: way there, coefficients, and the point's own velocity along them. */
HD real N(cloud_satellite)(const f64 *x, i32 i, i32 j, const real *inverse, const real *v, real *d, real *a)
{
  N(fit_apart)(x, i, j, d);
  const real w = reciprocal(N(vec_dot)(d, d));
  N(fit_apply)(inverse + NS * i, d, a);
  for (i32 k = 0; k < DIM; k++) a[k] *= w;
  return N(vec_dot)(v, a);
}

/* Takes from a vector what lies across the boundaries of some kind that a point is on. */
HD void N(cloud_along)(i32 kind, i32 of, const real *unit, const real *plane, real *to)
{
  if (kind & of) {
    const real across = N(vec_dot)(to, unit);
    for (i32 k = 0; k < DIM; k++) to[k] -= across * unit[k];
  }
  if (kind & CLOUD_PLANE) {
    const real across = N(vec_dot)(to, plane);
    for (i32 k = 0; k < DIM; k++) to[k] -= across * plane[k];
  }
}

/* res = V (div F + c0 u) + past, without the part across a wall or the plane of symmetry. */
HD void N(cloud_store)(i32 i, const real *sum, const f64 *V, const real *u, const real *past, f64 c0, i32 kind,
                       const real *unit, const real *plane, real *res)
{
  real r[NV];
  for (i32 k = 0; k < NV; k++) r[k] = (real)V[i] * (sum[k] + (real)c0 * u[NV * i + k]) + past[NV * i + k];
  N(cloud_along)(kind, CLOUD_WALL, unit, plane, r + 1);
  N(state_put)(res + NV * i, r);
}
#define CLOUD_STORE(i, m) \
  N(cloud_store)(i, sum, V, u, past, bdf[3 * (m)], kind[i], normal + DIM * (i), plane + DIM * (m), res)

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
  for (i32 k = 0; k < NV; k++) {
    l[k] = qi[k] + R(0.5) * N(vec_dot)(gi + DIM * k, d);
    r[k] = qj[k] - R(0.5) * N(vec_dot)(gj + DIM * k, d);
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

#ifndef CLOUD_ROE_BODY
#define CLOUD_ROE_BODY(states)                                                            \
  const i32 m = member[i];                                                                \
  if (!active[m]) return;                                                                 \
  const real *v = velocity + DIM * i;                                                     \
  real        own[NV], gi[NG], sum[NV] = {0};                                             \
  i32         low = 0;                                                                    \
  N(state_load)(q + NV * i, own), N(slope_load)(grad + NG * i, gi);                       \
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {                                     \
    const i32 j = neighbour[e];                                                           \
    real      there[NV], gj[NG], d[DIM], a[DIM], l[NV], r[NV], f[NV], g[NV];              \
    N(state_load)(q + NV * j, there), N(slope_load)(grad + NG * j, gj);                   \
    const real w = N(cloud_satellite)(x, i, j, inverse, v, d, a);                         \
    N(states)(own, there, gi, gj, d, l, r);                                               \
    if (!(l[0] > 0 && r[0] > 0 && l[NV - 1] > 0 && r[NV - 1] > 0)) { /* see ale_flux.h */ \
      for (i32 k = 0; k < NV; k++) l[k] = own[k], r[k] = there[k];                        \
      low++;                                                                              \
    }                                                                                     \
    N(flux_roe)(l, r, a, w, fix, f);                                                      \
    N(gas_flux)(own, a, w, g);                                                            \
    for (i32 k = 0; k < NV; k++) sum[k] += R(2) * (f[k] - g[k]);                          \
  }                                                                                       \
  lowered[i] = low;                                                                       \
  CLOUD_STORE(i, m)
#endif
KERNEL(N(cloud_roe), CLOUD_RESIDUAL, CLOUD_LOOP)
{
  CLOUD_ROE_BODY(cloud_states_limited);
}
KERNEL(N(cloud_roe_van_leer), CLOUD_RESIDUAL, CLOUD_LOOP)
{
  CLOUD_ROE_BODY(cloud_states_van_leer);
}

/* What JST's dissipation asks of a point (Zhang et al. eq. 9): the mean difference to its satellites
 * less what the gradient explains of it, so that linear fields have none on any cloud, and the sensor
 * |sum (p_j - p_i)| / sum (p_j + p_i).                                                          */
KERNEL(N(cloud_roughness), CLOUD_ROUGHNESS, CLOUD_LOOP)
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
KERNEL(N(cloud_jst), CLOUD_JST, CLOUD_LOOP)
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
    const real w      = N(cloud_satellite)(x, i, j, inverse, v, d, a);
    const real lambda = R(0.5) * (N(gas_radius)(own, a, w) + N(gas_radius)(there, a, w));
    const real e2 = k2 * fmax(sensor[i], sensor[j]), e4 = fmax(k4 - e2, R(0));
    N(gas_conserved_change)(there, rj, lj);
    N(gas_conserved)(there, uj);
    N(gas_flux)(there, a, w, f);
    N(gas_flux)(own, a, w, g);
    for (i32 k = 0; k < NV; k++) sum[k] += f[k] - g[k] - R(2) * lambda * (e2 * (uj[k] - ui[k]) - e4 * (lj[k] - li[k]));
  }
  CLOUD_STORE(i, m);
}

/* Points of the far field anew: first order, half of the weight on mirror images outside, which hold
 * the stream; Roe's flux lets each characteristic bring its own side.                           */
KERNEL(N(cloud_farfield), CLOUD_FARFIELD, CLOUD_LOOP)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *unit = normal + DIM * a;
  real        own[NV], out[NV], sum[NV] = {0};
  N(state_load)(q + NV * a, own);
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, x + DIM * a, out);
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) {
    real there[NV], d[DIM], s[DIM], f[NV], g[NV];
    N(state_load)(q + NV * neighbour[e], there);
    N(cloud_satellite)(x, a, neighbour[e], inverse, v, d, s);
    for (i32 side = 0; side < 2; side++) {
      const real w = N(vec_dot)(v, s);
      N(flux_roe)(own, side ? out : there, s, w, fix, f);
      N(gas_flux)(own, s, w, g);
      for (i32 k = 0; k < NV; k++) sum[k] += f[k] - g[k];
      const real across = R(2) * N(vec_dot)(s, unit);
      for (i32 k = 0; k < DIM; k++) s[k] -= across * unit[k];
    }
  }
  CLOUD_STORE(a, m);
}

/* A row of LU-SGS (lusgs.h) on a cloud: the diagonal has the whole sum of lambda, as half of it would
 * be what the neighbours take.  In place of -A_i times the sum of a_ij, which is not zero where points
 * lie closer on one side, stands its spectral radius: left out, it would let smooth changes grow.  A
 * change across a wall is none; half of what a point of the far field sees is the stream, which does
 * not change.                                                                                   */
KERNEL(N(cloud_lusgs), CLOUD_LUSGS, CLOUD_LOOP)
{
  const i32 a = node[i], m = member[a], at = kind[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *unit = normal + DIM * a, *mirror = plane + DIM * m;
  const real  per_V = R(1) / (real)V[a], share = at & CLOUD_FAR ? R(0.5) : R(1);
  real        own[NV], to[NV], sum = 0, open[DIM] = {0};
  N(state_load)(q + NV * a, own);
  for (i32 k = 0; k < NV; k++) to[k] = -per_V * res[NV * a + k];
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) {
    const i32 b = neighbour[e], j = row_of[b];
    real      there[NV], away[DIM], s[DIM], d[NV], df[NV];
    N(state_load)(q + NV * b, there);
    const real w      = N(cloud_satellite)(x, a, b, inverse, v, away, s);
    const real lambda = fmax(N(gas_radius)(own, s, w), N(gas_radius)(there, s, w));
    sum += lambda;
    for (i32 k = 0; k < DIM; k++) open[k] += s[k];
    if (cold && j > i) continue;
    N(state_load)(du + NV * j, d);
    N(gas_jacobian_apply)(there, s, w, d, df);
    for (i32 k = 0; k < NV; k++) to[k] -= share * (df[k] - lambda * d[k]);
  }
  N(cloud_along)(at, CLOUD_WALL | CLOUD_FAR, unit, mirror, open);
  const real rest = N(gas_radius)(own, open, N(vec_dot)(v, open));
  const real per  = R(1) / (sum / (real)(cfl[m] * pace[a]) + (real)bdf[3 * m] + sum + rest);
  N(cloud_along)(at, CLOUD_WALL, unit, mirror, to + 1);
  for (i32 k = 0; k < NV; k++) to[k] *= per;
  N(state_put)(du + NV * i, to);
}

/* No flow through a wall or a plane of symmetry: points there keep density and pressure, and across
 * it the wall's velocity.                                                                       */
KERNEL(N(cloud_slip), CLOUD_SLIP, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a;
  real       *c = u + NV * a, before = N(vec_dot)(c + 1, c + 1);
  for (i32 k = 0; k < DIM; k++) c[1 + k] -= c[0] * v[k];
  N(cloud_along)(kind[a], CLOUD_WALL, normal + DIM * a, plane + DIM * m, c + 1);
  for (i32 k = 0; k < DIM; k++) c[1 + k] += c[0] * v[k];
  c[NV - 1] += R(0.5) * (N(vec_dot)(c + 1, c + 1) - before) / c[0];
}

/* Local pseudo-step CFL / sum of lambda; the state that the stages start from. */
KERNEL(N(cloud_step), CLOUD_STEP, CLOUD_LOOP)
{
  if (!active[member[i]]) return;
  const real *v = velocity + DIM * i;
  real        own[NV], sum = 0;
  N(state_load)(q + NV * i, own);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real there[NV], d[DIM], a[DIM];
    N(state_load)(q + NV * neighbour[e], there);
    const real w = N(cloud_satellite)(x, i, neighbour[e], inverse, v, d, a);
    sum += fmax(N(gas_radius)(own, a, w), N(gas_radius)(there, a, w));
  }
  for (i32 k = NV * i; k < NV * (i + 1); k++) u0[k] = u[k];
  step[i] = rk_cfl * (real)pace[i] / sum;
}

/* A stage of the Runge-Kutta scheme, the physical time's own term implicit in the point. */
KERNEL(N(cloud_stage), CLOUD_STAGE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real t = share * step[i], c0 = (real)bdf[3 * m], per = R(1) / (R(1) + t * c0);
  for (i32 k = NV * i; k < NV * (i + 1); k++) {
    /* res has c0 u of the state that it was made of; the implicit one is that of the new state */
    const real rest = res[k] / (real)V[i] - c0 * u[k];
    u[k]            = per * (u0[k] - t * rest);
  }
}
#undef CLOUD_STORE
