/* state.h - what both solvers do with the state of each node (docs/theory.md, section 2), once per
 * dimension.  active: members whose pseudo-time has not converged; the others are left as they are. */
#undef CLOUD_PLANE
#undef PLANE_OF
#undef STATE_SLIP
/* Points on the plane of symmetry, and its unit normal, where there is one. */
#if DIM == 2
#define CLOUD_PLANE(F)
#define PLANE_OF(i, m) ((const real *)0)
#define STATE_SLIP(F)  F(in, real, u, "nodes,4")
#else
#define CLOUD_PLANE(F)          \
  F(in, i32, on_plane, "nodes") \
  F(in, real, plane, "members,3")
#define PLANE_OF(i, m) (on_plane[i] ? plane + 3 * (m) : (const real *)0)
#define STATE_SLIP(F)              \
  CLOUD_PLANE(F)                   \
  F(in, real, velocity, "nodes,3") \
  F(rw, real, u, "nodes,5")
#endif
#ifndef STATE_FIELDS_ONCE
#define STATE_FIELDS_ONCE
#define NODE_GRAPH(F)                     \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")
#define LUSGS_ROWS(F)              \
  F(in, i32, node, "rows>nodes!")  \
  F(in, i32, row_of, "nodes>rows") \
  F(val, i32, cold, "")
#define LUSGS_STEP(F)                \
  F(in, f64, V, "nodes")             \
  F(in, f64, bdf, "members,3")       \
  F(in, f64, cfl, "members")         \
  F(in, f64, pace, "nodes")          \
  F(in, real, res, "nodes," STR(NV)) \
  F(upd, real, du, "nodes," STR(NV))
#define ALE_PRIMITIVE(F)              \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, u, "nodes," STR(NV))    \
  F(out, real, q, "nodes," STR(NV))   \
  F(inc, u64, faults, "members")
#define ALE_PRIMITIVE_RANGE(F)          \
  F(in, i32, member, "nodes>members")   \
  F(in, i32, active, "members")         \
  STATE_SLIP(F)                         \
  F(out, real, q, "nodes," STR(NV))     \
  F(inc, u64, faults, "members")        \
  TOTALS(F, "nodes")                    \
  F(upd, f64, parts, "groups," STR(NR)) \
  F(out, f64, range, "members," STR(NR))
#define ALE_PAST(F)                   \
  F(in, i32, member, "nodes>members") \
  F(in, f64, bdf, "members,3")        \
  F(in, f64, V1, "nodes")             \
  F(in, real, u1, "nodes," STR(NV))   \
  F(in, f64, V2, "nodes")             \
  F(in, real, u2, "nodes," STR(NV))   \
  F(out, real, past, "nodes," STR(NV))
#define ALE_UPDATE(F)                     \
  F(opt, i32, node, "rows>nodes!")        \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, active, "members")           \
  F(in, real, du, "rows," STR(NV))        \
  F(in, real, q, "nodes," STR(NV))        \
  F(val, real, most, "")                  \
  F(rw, real, u, "nodes," STR(NV))        \
  F(rw, f64, pace, "nodes")
#define DUALTIME(F)                                                         \
  F(inc, u64, faults, "members")                                            \
  F(in, f64, floor, "members") /* norm below which a residual is nothing */ \
  F(val, f64, drop, "")        /* norm over first norm at which to stop */  \
  F(val, f64, cfl_first, "")                                                \
  F(val, f64, cfl_last, "")                                                 \
  F(val, f64, cfl_growth, "")                                               \
  F(val, i32, most, "") /* iterations allowed */                            \
  F(rw, i32, active, "members")                                             \
  F(rw, i32, iterations, "members")                                         \
  F(rw, f64, first, "members")                                              \
  F(out, f64, norm, "members")                                              \
  F(rw, f64, mean, "members")    /* running mean of the norm's logarithm */ \
  F(rw, f64, ceiling, "members") /* of the CFL number */                    \
  F(rw, f64, cfl, "members")
#define RESIDUAL_CHECK(F)            \
  F(in, real, res, "nodes," STR(NV)) \
  TOTALS(F, "nodes")                 \
  F(upd, f64, parts, "groups,1")     \
  DUALTIME(F)
#define LEAST_SQUARES(F)                  \
  F(in, f64, x, "nodes," STR(DIM))        \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(out, real, inverse, "nodes," STR(NS))
#endif

/* Primitive state (rho, v, p) from the conserved one; what is not a gas is a fault of a member that
 * is active, which is only asked then.                                                          */
HD void N(state_primitive)(i32 i, const real *from, real *to, real *q, const i32 *member, const i32 *active,
                           u64 *faults)
{
  N(gas_primitive)(from, to);
  N(state_put)(q + NV * i, to);
  if (to[0] > 0 && to[NV - 1] > 0) return;
  const i32 m = member[i];
  if (!active[m]) return;
  if (!(to[0] > 0)) fault(&faults[m], FAULT_DENSITY, i);
  if (!(to[NV - 1] > 0)) fault(&faults[m], FAULT_PRESSURE, i);
}

#if DIM == 2
#define SLIP(i, from) (void)0
#else
/* No flow through the plane of symmetry: points on it keep density and pressure, and across it the
 * plane's velocity.                                                                             */
HD void state_slip(const real *unit, const real *v, real *c)
{
  const real before = vec_dot_3d(c + 1, c + 1);
  for (i32 k = 0; k < 3; k++) c[1 + k] -= c[0] * v[k];
  along_3d(unit, c + 1);
  for (i32 k = 0; k < 3; k++) c[1 + k] += c[0] * v[k];
  c[4] += R(0.5) * (vec_dot_3d(c + 1, c + 1) - before) * reciprocal(c[0]);
}
#undef SLIP
#define SLIP(i, from)                                                                             \
  if (on_plane[i] && active[member[i]]) {                                                         \
    state_slip(plane + 3 * member[i], velocity + 3 * (i), from), state_put_3d(u + 5 * (i), from); \
  }
#endif

KERNEL(N(ale_primitive), ALE_PRIMITIVE, indirect)
{
  real from[NV], to[NV];
  N(state_load)(u + NV * i, from);
  N(state_primitive)(i, from, to, q, member, active, faults);
}

/* The same where a residual begins: of a state that fits the plane of symmetry, and with the range of
 * each variable over a member, (max q, max -q), for Wang's threshold.                            */
TOTAL(N(ale_primitive_range), ALE_PRIMITIVE_RANGE, max, NR, 1)
{
  real from[NV], to[NV];
  N(state_load)(u + NV * i, from);
  SLIP(i, from);
  N(state_primitive)(i, from, to, q, member, active, faults);
  for (i32 k = 0; k < NV; k++) {
    s[k]      = OP_max(s[k], (f64)to[k]);
    s[NV + k] = OP_max(s[NV + k], -(f64)to[k]);
  }
}
OF_MEMBER(N(ale_primitive_range), ALE_PRIMITIVE_RANGE)
{
  for (i32 k = 0; k < NR; k++) range[NR * m + k] = s[k];
}

/* c1 V^n u^n + c2 V^(n-1) u^(n-1), once per physical step. */
LANES(N(ale_past), ALE_PAST, indirect, NV)
{
  const f64 *c = bdf + 3 * member[i];
  for (i32 k = NV * i + lane; k < NV * i + lane + WIDTH(NV); k++)
    past[k] = (real)(c[1] * V1[i] * (f64)u1[k] + c[2] * V2[i] * (f64)u2[k]);
}

/* u += du.  A change of density or pressure beyond `most` of itself scales the node's update down to
 * it, the usual guard of implicit start-ups, and halves the share of the CFL number that the node
 * takes; nodes that need no scaling win it back.  A node that has been scaled six times running is
 * caught near vacuum, where the start of a fine mesh can leave single nodes at the nose for ever: it
 * takes the mean state of its neighbours and goes on from there.                                */
HD void N(update_node)(i32 a, const real *d, i32 first, i32 end, const i32 *neighbour, const real *q, real most,
                       const real *from, f64 before, real *u, f64 *pace)
{
  real p[NV], own[NV], to[NV], qa[NV], dp = 0;
  N(gas_primitive)(from, own);
  N(gas_pressure_row)(own, p);
  for (i32 k = 0; k < NV; k++) dp += p[k] * d[k];
  const real change = larger(fabs(d[0]) * reciprocal(own[0]), fabs(dp) * reciprocal(own[NV - 1]));
  real       share  = change > most ? most * reciprocal(change) : R(1);
  for (i32 t = 0; t < 10; t++) { /* pressure is not linear in u: look at what would come out */
    for (i32 k = 0; k < NV; k++) to[k] = from[k] + share * d[k];
    N(gas_primitive)(to, qa);
    if (qa[NV - 1] >= (R(1) - R(2) * most) * own[NV - 1]) break;
    share *= R(0.5);
  }
  const f64 now = share < R(1) ? 0.5 * before : before < 1 / 1.5 ? 1.5 * before : 1;
  pace[a]       = now;
  if (now > 0.02) {
    for (i32 k = 0; k < NV; k++) to[k] = from[k] + share * d[k];
    N(state_put)(u + NV * a, to);
    return;
  }
  const real per = R(1) / (real)(end - first);
  for (i32 k = 0; k < NV; k++) qa[k] = 0;
  for (i32 e = first; e < end; e++)
    for (i32 k = 0; k < NV; k++) qa[k] += per * q[NV * neighbour[e] + k];
  N(gas_conserved)(qa, u + NV * a);
  pace[a] = 0.25;
}

/* The same by rows; without `node` a row is the node of its number. */
KERNEL(N(ale_update), ALE_UPDATE, indirect)
{
  const i32 a = node ? node[i] : i, m = member[a];
  const f64 before = pace[a];
  real      d[NV], from[NV];
  N(state_load)(du + NV * i, d), N(state_load)(u + NV * a, from);
  if (!active[m]) return;
  N(update_node)(a, d, offsets[a], offsets[a + 1], neighbour, q, most, from, before, u, pace);
}

/* Norm of the residual of each member that iterates, and what follows: drop, CFL number, count; converged
 * or faulty members stop (theory, section 2.6).                                                 */
TOTAL(N(residual_check), RESIDUAL_CHECK, sum, 1, active[m])
{
  for (i32 k = 0; k < NV; k++) {
    const f64 r = (f64)res[NV * i + k];
    s[0] += r * r;
  }
}
OF_MEMBER(N(residual_check), RESIDUAL_CHECK)
{
  norm[m]         = sqrt(s[0]);
  const f64 level = log(fmax(norm[m], (f64)1e-300));
  if (iterations[m] == 0) {
    first[m]   = norm[m];
    mean[m]    = level;
    ceiling[m] = cfl_last;
    cfl[m]     = cfl_first;
  } else {
    const f64 ramp = 5 * cfl_first, rise = level - mean[m];
    const f64 follow   = fmin(fmax(1.05 * exp(-0.5 * rise), (f64)0.7), cfl_growth);
    ceiling[m]         = rise > 0.3 && cfl[m] > ramp ? fmax(0.7 * cfl[m], ramp) : fmin(1.01 * ceiling[m], cfl_last);
    const f64 most_now = fmin(ceiling[m], ramp * fmax((f64)1, 0.1 * first[m] / norm[m]));
    cfl[m] = fmin(fmax((iterations[m] < 5 ? cfl_growth : follow) * cfl[m], cfl_first), fmin(most_now, cfl_last));
    mean[m] += 0.1 * rise;
  }
  if (!(norm[m] <= fmin(1e5 * fmax(first[m], floor[m]), (f64)1e300))) fault(&faults[m], FAULT_DIVERGED, 0);
  if (norm[m] <= drop * first[m] || norm[m] <= floor[m] || iterations[m] >= most || faults[m] != ~(u64)0)
    active[m] = 0;
  else
    iterations[m]++;
}

#if DIM == 2
/* Inverse of sum w dr dr^T, w = |dr|^-2: the least-squares matrix of a mesh's node. */
KERNEL(least_squares, LEAST_SQUARES, indirect)
{
  f64 sum[NS];
  fit_matrix(i, x, offsets, neighbour, 1, sum);
  fit_invert(sum, inverse + NS * i);
}
#endif

/* State of the free stream at a point; in the plane with the vortex where there is one: its velocity,
 * and the same entropy and total enthalpy.                                                      */
HD void N(farfield_state)(const f64 *s, const f64 *strength UNUSED, const f64 *centre UNUSED, const f64 *x UNUSED,
                          real *out)
{
  f64 q[NV];
  for (i32 k = 0; k < NV; k++) q[k] = s[k];
#if DIM == 2
  if (strength) {
    const f64 dx = x[0] - centre[0], dy = x[1] - centre[1], cross = dy * s[1] - dx * s[2];
    const f64 per = *strength / (dx * dx + dy * dy - cross * cross);
    q[1] += per * dy;
    q[2] -= per * dx;
    const f64 a2 = 1 + 0.2 * (s[1] * s[1] + s[2] * s[2] - q[1] * q[1] - q[2] * q[2]);
    q[0]         = a2 * a2 * sqrt(a2);
    q[3]         = q[0] * a2 / 1.4;
  }
#endif
  for (i32 k = 0; k < NV; k++) out[k] = (real)q[k];
}

/* Another precision of the same numbers, for a matrix in float32 under a flow in float64. */
#ifndef NARROW_ONCE
#define NARROW_ONCE
#define NARROW_STATE(F)  F(in, f64, from, "items," STR(NV)) F(out, f32, to, "items," STR(NV))
#define WIDEN_STATE(F)   F(in, f32, from, "items," STR(NV)) F(out, f64, to, "items," STR(NV))
#define NARROW_FIT(F)    F(in, f64, from, "items," STR(NS)) F(out, f32, to, "items," STR(NS))
#define NARROW_VECTOR(F) F(in, f64, from, "items," STR(DIM)) F(out, f32, to, "items," STR(DIM))
#endif
LANES(N(narrow_state), NARROW_STATE, indirect, NV)
{
  for (i32 k = NV * i + lane; k < NV * i + lane + WIDTH(NV); k++) to[k] = (f32)from[k];
}
LANES(N(widen_state), WIDEN_STATE, indirect, NV)
{
  for (i32 k = NV * i + lane; k < NV * i + lane + WIDTH(NV); k++) to[k] = (f64)from[k];
}
KERNEL(N(narrow_fit), NARROW_FIT, indirect)
{
  for (i32 k = NS * i; k < NS * (i + 1); k++) to[k] = (f32)from[k];
}
KERNEL(N(narrow_vector), NARROW_VECTOR, indirect)
{
  for (i32 k = DIM * i; k < DIM * (i + 1); k++) to[k] = (f32)from[k];
}
