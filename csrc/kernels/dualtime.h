/* dualtime.h - control of pseudo-time, member by member, on the device (theory, section 2.6). */

/* After each residual: count, first norm, drop, CFL number; converged or faulty members stop. */
#define DUALTIME_CHECK(F)                                                   \
  F(in, f64, squares, "members,1") /* of the residual */                    \
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
KERNEL(dualtime_check, DUALTIME_CHECK, indirect)
{
  if (!active[i]) return;
  norm[i]         = sqrt(squares[i]);
  const f64 level = log(fmax(norm[i], (f64)1e-300));
  if (iterations[i] == 0) {
    first[i]   = norm[i];
    mean[i]    = level;
    ceiling[i] = cfl_last;
    cfl[i]     = cfl_first;
  } else {
    const f64 ramp = 5 * cfl_first, rise = level - mean[i];
    const f64 follow   = fmin(fmax(1.05 * exp(-0.5 * rise), (f64)0.7), cfl_growth);
    ceiling[i]         = rise > 0.3 && cfl[i] > ramp ? fmax(0.7 * cfl[i], ramp) : fmin(1.01 * ceiling[i], cfl_last);
    const f64 most_now = fmin(ceiling[i], ramp * fmax((f64)1, 0.1 * first[i] / norm[i]));
    cfl[i] = fmin(fmax((iterations[i] < 5 ? cfl_growth : follow) * cfl[i], cfl_first), fmin(most_now, cfl_last));
    mean[i] += 0.1 * rise;
  }
  if (!(norm[i] <= 1e5 * fmax(first[i], floor[i]))) fault(&faults[i], FAULT_DIVERGED, 0);
  if (norm[i] <= drop * first[i] || norm[i] <= floor[i] || iterations[i] >= most || faults[i] != ~(u64)0)
    active[i] = 0;
  else
    iterations[i]++;
}

/* Every member starts a physical step: all active, nothing counted. */
#define DUALTIME_START(F)        \
  F(out, i32, active, "members") \
  F(out, i32, iterations, "members")
KERNEL(dualtime_start, DUALTIME_START, direct)
{
  active[i]     = 1;
  iterations[i] = 0;
}

#define COPY_F64(F) F(in, f64, from, "items") F(out, f64, to, "items")
KERNEL(copy_f64, COPY_F64, direct)
{
  to[i] = from[i];
}
#define COPY_REAL4(F) F(in, real, from, "items,4") F(out, real, to, "items,4")
LANES(copy_real4, COPY_REAL4, indirect, 4)
{
  for (i32 k = 4 * i + lane; k < 4 * i + lane + WIDTH(4); k++) to[k] = from[k];
}
#define COPY_F64_2(F) F(in, f64, from, "items,2") F(out, f64, to, "items,2")
LANES(copy_f64_2, COPY_F64_2, indirect, 2)
{
  for (i32 k = 2 * i + lane; k < 2 * i + lane + WIDTH(2); k++) to[k] = from[k];
}

/* Another precision of the same numbers, for a matrix in float32 under a flow in float64. */
#define NARROW_1(F) F(in, f64, from, "items") F(out, f32, to, "items")
KERNEL(narrow_1, NARROW_1, direct)
{
  to[i] = (f32)from[i];
}
#define NARROW_2(F) F(in, f64, from, "items,2") F(out, f32, to, "items,2")
LANES(narrow_2, NARROW_2, indirect, 2)
{
  for (i32 k = 2 * i + lane; k < 2 * i + lane + WIDTH(2); k++) to[k] = (f32)from[k];
}
