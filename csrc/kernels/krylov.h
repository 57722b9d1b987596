/* krylov.h - BiCGSTAB's scalars, one set per member, on the device (van der Vorst 1992).
 * scalars = (rho, alpha, omega, beta); status: 0 runs, 1 converged, 2 broke down.               */

#define KRYLOV_START(F)                                            \
  F(in, i32, active, "members") /* members that want a solution */ \
  F(out, i32, live, "members")                                     \
  F(out, i32, steps, "members")                                    \
  F(out, i32, status, "members")
KERNEL(krylov_start, KRYLOV_START, direct)
{
  live[i]   = active[i];
  steps[i]  = 0;
  status[i] = 0;
}

/* After the first residual: rho = (r, shadow), target = tolerance |base|. */
#define KRYLOV_FIRST(F)                                                \
  F(in, f64, dots, "members,2")  /* (shadow, r), (r, r) */             \
  F(in, f64, base2, "members,2") /* second: |r|^2 of the zero guess */ \
  F(val, f64, tolerance, "")                                           \
  F(out, f64, target2, "members")                                      \
  F(rw, f64, scalars, "members,4")                                     \
  F(rw, i32, live, "members")                                          \
  F(rw, i32, status, "members")
KERNEL(krylov_first, KRYLOV_FIRST, indirect)
{
  if (!live[i]) return;
  scalars[4 * i] = dots[2 * i];
  target2[i]     = tolerance * tolerance * base2[2 * i + 1];
  if (dots[2 * i + 1] <= target2[i]) live[i] = 0, status[i] = 1;
}

#define KRYLOV_ALPHA(F)                                   \
  F(in, f64, dots, "members,2") /* (shadow, v), unused */ \
  F(rw, f64, scalars, "members,4")                        \
  F(rw, i32, live, "members")                             \
  F(rw, i32, status, "members")
KERNEL(krylov_alpha, KRYLOV_ALPHA, indirect)
{
  if (!live[i]) return;
  const f64 sv = dots[2 * i];
  if (!(fabs(sv) > 0) || !(fabs(scalars[4 * i]) > 0)) {
    live[i] = 0, status[i] = 2;
    return;
  }
  scalars[4 * i + 1] = scalars[4 * i] / sv;
}

#define KRYLOV_OMEGA(F)                              \
  F(in, f64, dots, "members,2") /* (t, s), (t, t) */ \
  F(in, i32, live, "members")                        \
  F(rw, f64, scalars, "members,4")
KERNEL(krylov_omega, KRYLOV_OMEGA, indirect)
{
  if (!live[i]) return;
  /* t = 0 only where s = 0: the half step was exact, and omega is of no account. */
  scalars[4 * i + 2] = dots[2 * i + 1] > 0 ? dots[2 * i] / dots[2 * i + 1] : 0;
}

#define KRYLOV_BETA(F)                                    \
  F(in, f64, dots, "members,2") /* (shadow, r), (r, r) */ \
  F(in, f64, target2, "members")                          \
  F(rw, f64, scalars, "members,4")                        \
  F(rw, i32, live, "members")                             \
  F(rw, i32, steps, "members")                            \
  F(rw, i32, status, "members")
KERNEL(krylov_beta, KRYLOV_BETA, indirect)
{
  if (!live[i]) return;
  f64      *c   = scalars + 4 * i;
  const f64 rho = dots[2 * i];
  steps[i]++;
  if (dots[2 * i + 1] <= target2[i]) {
    live[i] = 0, status[i] = 1;
    return;
  }
  if (!(fabs(c[2]) > 0) || !(fabs(rho) > 0)) {
    live[i] = 0, status[i] = 2;
    return;
  }
  c[3] = rho / c[0] * (c[1] / c[2]);
  c[0] = rho;
}
