/* start.h - who takes part in a physical step. */

/* Members start a physical step: active but those that have failed, nothing counted. */
#define DUALTIME_START(F)            \
  F(in, i32, alive, "members")       \
  F(out, i32, active, "members")     \
  F(out, i32, iterations, "members") \
  F(out, f64, base, "members")
KERNEL(dualtime_start, DUALTIME_START, direct)
{
  active[i]     = alive[i];
  iterations[i] = 0;
  base[i]       = 0;
}
