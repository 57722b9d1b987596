/* dualtime.h - the start of pseudo-time, member by member, on the device (theory, section 2.6), and copies.
 * What goes on and at which CFL number residual_check (state.h) decides.                             */

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
