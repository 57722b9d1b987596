/* start.h - who takes part in a linear solution: members that want one. */

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
