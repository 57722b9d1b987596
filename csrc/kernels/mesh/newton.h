/* newton.h - T of Newton's steps on meshes, once per dimension: 1 / dtau times V at a CFL number of 1, the sum of
 * the fastest waves through the faces of a volume, as in its row of the matrix (jacobian.h).        */

#define NEWTON_PACE(F)                    \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, edge, "entries>edges")       \
  F(in, real, S, "edges," STR(DIM))       \
  F(in, real, w, "edges")                 \
  F(in, real, q, "nodes," STR(NV))        \
  F(in, real, jacobian_fix, "members")    \
  F(in, f64, low_mach, "members,2")       \
  F(opt, f32, compact, "edges")           \
  F(opt, f64, mu, "nodes,2")              \
  F(rw, real, T, "nodes")
KERNEL(N(newton_pace), NEWTON_PACE, heavy)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real per = reciprocal(q[NV * i + DENSITY]);
  real       sum = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32  f = edge[e], b = neighbour[e];
    const real sign = b > i ? R(1) : R(-1);
    real       out[DIM];
    for (i32 k = 0; k < DIM; k++) out[k] = sign * S[DIM * f + k];
    sum += N(roe_average)(q + NV * i, q + NV * b, out, sign * w[f], damping_of(jacobian_fix[m], low_mach + 2 * m)).wave;
    if (compact) {
      const f64 *own = mu + 2 * i, *other = mu + 2 * b;
      sum += (real)(own[0] + other[0] + own[EDDY] + other[EDDY]) * (real)compact[f] * per;
    }
  }
  T[i] = sum;
}
