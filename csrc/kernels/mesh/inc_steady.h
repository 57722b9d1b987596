/* inc_steady.h - an iteration of the march to a steady flow (docs/theory.md, section 7.7): how fast each node
 * goes, how the pressure follows what flows out of duals, and who goes on. */

/* Pace V a / CFL of a node (eq. 7.13) [U chord], a the rate at which flow passes it, and how hard flow and friction
 * couple it to its neighbours, a + nu D / V [U/chord]. */
#define INC_PACE(F)                     \
  F(in, i32, member, "nodes>members")   \
  F(in, i32, active, "members")         \
  F(in, f64, V, "nodes")                \
  F(in, f64, friction, "nodes") /* D */ \
  F(in, f64, viscosity, "members")      \
  F(in, f64, cfl, "members")            \
  F(in, real, fading, "nodes") /* a */  \
  F(out, f64, pace, "nodes")            \
  F(out, real, coupling, "nodes")
KERNEL(inc_pace, INC_PACE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  pace[i]     = V[i] * (f64)fading[i] / cfl[m];
  coupling[i] = fading[i] + (real)(viscosity[m] * friction[i] / V[i]);
}

/* How the pressure follows a potential psi, whose gradient velocities lose: a share of
 * (pace psi - nu net) / V, net what flew out of a dual before, less what a closed member lacks (eq. 7.14). */
#define INC_STEADY_CHANGE(F)          \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, i32, open, "nodes")           \
  F(in, f64, V, "nodes")              \
  F(in, f64, pace, "nodes")           \
  F(in, f64, phi, "nodes") /* psi */  \
  F(in, f64, net, "nodes")            \
  F(in, f64, defect, "members")       \
  F(in, f64, viscosity, "members")    \
  F(val, f64, share, "")              \
  F(out, f64, change, "nodes,1")
KERNEL(inc_steady_change, INC_STEADY_CHANGE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const f64 out = net[i] / V[i] - defect[m];
  change[i]     = open[i] ? 0 : share * (pace[i] / V[i] * phi[i] - viscosity[m] * out);
}

#define INC_RAISE_PRESSURE(F)         \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, f64, change, "nodes,1")       \
  F(in, f64, mean, "members")         \
  F(rw, f64, p, "nodes")
KERNEL(inc_raise_pressure, INC_RAISE_PRESSURE, indirect)
{
  if (active[member[i]]) p[i] += change[i] - mean[member[i]];
}

/* Norm of what the steady equations leave over, momentum where it is not given and continuity where the boundary
 * is not open (eq. 7.12), and what follows: drop, count.  The first iteration has no fluxes yet, so the drop
 * refers to the larger one of the first two. */
#define INC_STEADY_CHECK(F)                                                 \
  F(in, real, res, "nodes," STR(DIM))                                       \
  F(in, f64, net, "nodes")                                                  \
  F(in, f64, V, "nodes")                                                    \
  F(in, f64, defect, "members")                                             \
  F(in, i32, member, "nodes>members")                                       \
  F(in, i32, given, "nodes")                                                \
  F(in, i32, open, "nodes")                                                 \
  TOTALS(F, "nodes")                                                        \
  F(upd, f64, parts, "groups,1")                                            \
  F(inc, u64, faults, "members")                                            \
  F(in, f64, floor, "members") /* norm below which a residual is nothing */ \
  F(val, f64, drop, "")        /* norm over base at which to stop */        \
  F(val, i32, most, "")        /* iterations allowed */                     \
  F(rw, i32, active, "members")                                             \
  F(rw, i32, iterations, "members")                                         \
  F(rw, f64, base, "members")                                               \
  F(out, f64, norm, "members")
TOTAL(N(inc_steady_check), INC_STEADY_CHECK, sum, 1, active[m])
{
  const f64 out = open[i] ? 0 : net[i] - defect[member[i]] * V[i];
  for (i32 k = 0; k < DIM && !given[i]; k++) s[0] += (f64)res[DIM * i + k] * (f64)res[DIM * i + k];
  s[0] += out * out;
}
OF_MEMBER(N(inc_steady_check), INC_STEADY_CHECK)
{
  norm[m] = sqrt(s[0]);
  if (iterations[m] <= 1) base[m] = fmax(iterations[m] ? base[m] : 0, norm[m]);
  if (!(norm[m] <= fmin(1e5 * fmax(base[m], floor[m]), (f64)1e300))) fault(&faults[m], FAULT_DIVERGED, 0);
  if (norm[m] <= drop * base[m] || norm[m] <= floor[m] || iterations[m] >= most || faults[m] != ~(u64)0)
    active[m] = 0;
  else
    iterations[m]++;
}
