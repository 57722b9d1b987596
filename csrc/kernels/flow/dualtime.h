/* dualtime.h - pseudo-time, member by member, on the device (docs/theory.md, section 2.6): after each
 * residual who goes on, and at which CFL number; once per dimension.  res and norms in
 * the units of docs/style.md per time, chord / a_inf.                                            */

/* sum += |res|^2 of node i, unless round-off alone can leave as much: in float32 the large cells far away
 * have more of it than all the cells about a body have where a step has converged.              */
HD void N(residual_add)(i32 i, const real *all, const real *noise, f64 *sum)
{
  const real *res = all + NV * i;
  if (noise) {
    f64 own = 0;
    for (i32 k = 0; k < NV; k++) own += (f64)res[k] * (f64)res[k];
    if (own <= (f64)noise[i] * (f64)noise[i]) return;
  }
  for (i32 k = 0; k < NV; k++) *sum += (f64)res[k] * (f64)res[k];
}

#define RESIDUAL_NORM(F)                                                 \
  F(in, real, res, "nodes," STR(NV))                                     \
  F(opt, real, noise, "nodes") /* |res| of a node that counts as none */ \
  TOTALS(F, "nodes")                                                     \
  F(upd, f64, parts, "groups,1")

#define DUALTIME(F)                                                                \
  F(inc, u64, faults, "members")                                                   \
  F(in, f64, floor, "members") /* norm below which a residual is nothing */        \
  F(val, f64, drop, "")        /* norm over base at which to stop */               \
  F(val, f64, cfl_first, "")                                                       \
  F(val, f64, cfl_last, "")                                                        \
  F(val, f64, cfl_growth, "")                                                      \
  F(val, f64, stall, "") /* norm over the one before that halves the CFL number */ \
  F(val, i32, most, "")  /* iterations allowed */                                  \
  F(rw, i32, active, "members")                                                    \
  F(rw, i32, iterations, "members")                                                \
  F(rw, f64, first, "members")                                                     \
  F(rw, f64, base, "members") /* 0: the first norm of this march */                \
  F(rw, f64, norm, "members")                                                      \
  F(rw, f64, mean, "members")    /* running mean of the norm's logarithm */        \
  F(rw, f64, ceiling, "members") /* of the CFL number */                           \
  F(rw, f64, cfl, "members")
/* Norm of the residual that `drop` refers to, of each member that iterates: with the state that the
 * last step left, before it is predicted (update.h).                                            */
#define RESIDUAL_BASE(F)        \
  F(in, i32, active, "members") \
  RESIDUAL_NORM(F)              \
  F(out, f64, base, "members")
TOTAL(N(residual_base), RESIDUAL_BASE, sum, 1, active[m])
{
  N(residual_add)(i, res, noise, s);
}
OF_MEMBER(N(residual_base), RESIDUAL_BASE)
{
  base[m] = sqrt(s[0]);
}

#define RESIDUAL_CHECK(F)                                                                  \
  RESIDUAL_NORM(F)                                                                         \
  F(opt, i32, busy, "members") /* an equation beside those of the gas has not converged */ \
  F(opt, i32, hold, "members") /* loads still change under a residual at round-off */      \
  DUALTIME(F)

/* Norm of the residual of each member that iterates, and what follows: drop, CFL number, count; converged
 * or faulty members stop (theory, section 2.6).                                                 */
TOTAL(N(residual_check), RESIDUAL_CHECK, sum, 1, active[m])
{
  N(residual_add)(i, res, noise, s);
}
OF_MEMBER(N(residual_check), RESIDUAL_CHECK)
{
  const f64 before = norm[m];
  norm[m]          = sqrt(s[0]);
  if (iterations[m] == 0) {
    first[m] = norm[m];
    if (!(base[m] > 0)) base[m] = fmax(-base[m], norm[m]); /* below 0: that of an earlier march, at least */
  }
  if (!(norm[m] <= fmin(1e5 * fmax(base[m], floor[m]), (f64)1e300))) fault(&faults[m], FAULT_DIVERGED, 0);
  const i32 wanted = (busy && busy[m]) || (hold && hold[m]);
  const i32 fallen = (norm[m] <= drop * base[m] || norm[m] <= floor[m]) && !wanted;
  if (fallen || iterations[m] >= most || faults[m] != ~(u64)0) {
    active[m] = 0; /* all that follows is as it was: a march that goes on from here looks again */
    return;
  }
  const f64 level = log(fmax(fmax(norm[m], floor[m]), (f64)1e-300));
  if (iterations[m] == 0) {
    mean[m]    = level;
    ceiling[m] = cfl_last;
    cfl[m]     = cfl_first;
  } else {
    const f64 ramp = 5 * cfl_first, rise = level - mean[m];
    const f64 follow   = fmin(fmax(1.05 * exp(-0.5 * rise), (f64)0.7), cfl_growth);
    ceiling[m]         = rise > 0.3 && cfl[m] > ramp ? fmax(0.7 * cfl[m], ramp) : fmin(1.01 * ceiling[m], cfl_last);
    const f64 most_now = fmin(ceiling[m], ramp * fmax((f64)1, 0.1 * first[m] / norm[m]));
    cfl[m] = fmin(fmax((iterations[m] < 5 ? cfl_growth : follow) * cfl[m], cfl_first), fmin(most_now, cfl_last));
    if (norm[m] > stall * before) cfl[m] = ceiling[m] = fmax(0.5 * cfl[m] / cfl_growth, cfl_first);
    mean[m] += 0.1 * rise;
  }
  iterations[m]++;
}
