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

/* Shares y of the vectors of GMRES, R y = side (gmres.h), in the place of its products. */
#define GMRES_SHARES(F)                             \
  F(in, i32, live, "members")                       \
  F(in, i32, steps, "members")                      \
  F(size, i32, vectors, "vectors")                  \
  F(in, f64, hessenberg, "members,vectors,vectors") \
  F(in, f64, side, "members,vectors+1")             \
  F(rw, f64, dots, "members,vectors")
KERNEL(gmres_shares, GMRES_SHARES, direct)
{
  if (!live[i]) return;
  const f64 *R = hessenberg + vectors * vectors * i, *g = side + (vectors + 1) * i;
  f64       *y = dots + vectors * i;
  for (i32 k = steps[i] - 1; k >= 0; k--) {
    f64 sum = g[k];
    for (i32 j = k + 1; j < steps[i]; j++) sum -= R[vectors * j + k] * y[j];
    y[k] = sum / R[vectors * k + k];
  }
}
