/* matrix.h - a matrix of a flux, by rows, and T of Newton's steps.  Included once per flux that has one (face.h) and
 * dimension; units as in jacobian.h.
 *   VARIANT   ending of the kernels ale_jacobian, ale_jacobian_viscous, newton_pace; of that of Roe's flux none
 *   MEAN      struct and function (l, r, S, w, by): what a face's dissipation follows from, with `wave`, the fastest
 *             wave times the face, of which V / dtau is the sum
 *   JACOBIAN  (mean, l, r, S, w, j, left, right): column j of the flux's derivatives by the conserved states of both
 *             sides, the dissipation frozen
 *   BLOCKS    where all columns of a face are made together in another way (columns.h)
 */
#ifdef LISTED
LISTED(OF(ale_jacobian), nodes) LISTED(OF(ale_jacobian, _viscous), nodes) LISTED(OF(newton_pace), nodes)
#else
#ifndef BLOCKS
#define BLOCKS OF(face_blocks)
HD void BLOCKS(const struct MEAN m, const real *l, const real *r, const real *S, real w, i32 lane, real *to,
               N(column) d[])
{
  for (i32 j = 0; j < WIDTH(NV); j++) {
    real left[NV], right[NV];
    JACOBIAN(m, l, r, S, w, lane + j, left, right);
    N(state_put)(to + ENTRY(NV, 0, lane + j), right);
    for (i32 k = 0; k < NV; k++) d[j][k] += left[k];
  }
}
#endif

HD void OF(jacobian_row)(const i32 a, const i32 lane VISCOUS_ROWS(PARAM))
{
  const i32 m = member[a], line = row_of[a];
  if (!active[m]) return;
  N(column) d[WIDTH(NV)] = {{0}}; /* the lanes' columns of the diagonal block */
  real sum               = 0;
  for (i32 first = offsets[a]; first < offsets[a + 1]; first += AVERAGES) {
    const i32   rest = offsets[a + 1] - first, last = first + (AVERAGES == 1 || AVERAGES < rest ? AVERAGES : rest);
    struct MEAN mean[AVERAGES];
    for (i32 e = first; e < last; e++) {
      const real sign = neighbour[e] > a ? R(1) : R(-1);
      real       out[DIM];
      for (i32 k = 0; k < DIM; k++) out[k] = sign * S[DIM * edge[e] + k];
      mean[e - first] = MEAN(q + NV * a, q + NV * neighbour[e], out, sign * w[edge[e]],
                             damping_of(jacobian_fix[m], low_mach + 2 * m));
    }
    for (i32 e = first; e < last; e++) {
      const i32  f = edge[e], b = neighbour[e];
      const real sign = b > a ? R(1) : R(-1), *l = q + NV * a, *r = q + NV * b;
      real      *to = BLOCK_AT(A, NB, slot[e]), out[DIM];
      for (i32 k = 0; k < DIM; k++) out[k] = sign * S[DIM * f + k];
      BLOCKS(mean[e - first], l, r, out, sign * w[f], lane, to, d);
      sum += mean[e - first].wave;
      if (compact) sum += N(viscous_row)(a, b, f, lane, l, r, out, to, d VISCOUS_JACOBIAN(NAME));
    }
  }
  const real per_dtau = sum / (real)(cfl[m] * pace[a]), time = per_dtau + (real)(bdf[3 * m] * V[a]);
  for (i32 j = 0; j < WIDTH(NV); j++) {
    real own[NV];
    for (i32 k = 0; k < NV; k++) own[k] = d[j][k] + (k == lane + j ? time : R(0));
    if (low_mach[2 * m] < 1) N(low_mach_pace)(q + NV * a, (real)low_mach[2 * m + 1], per_dtau, lane + j, own);
    N(state_put)(BLOCK_AT(A, NB, diagonal[line]) + ENTRY(NV, 0, lane + j), own);
  }
  for (i32 k = lane; k < lane + WIDTH(NV); k++) rhs[NV * line + k] = -res[NV * a + k];
}

LANES(OF(ale_jacobian), ALE_JACOBIAN, heavy, NV)
{
  OF(jacobian_row)(i, lane ALE_JACOBIAN(NAME), 0, 0, 0, 0);
}

LANES(OF(ale_jacobian, _viscous), VISCOUS_ROWS, heavy, NV)
{
  OF(jacobian_row)(i, lane VISCOUS_ROWS(NAME));
}

/* 1 / dtau times V at a CFL number of 1, the sum of the fastest waves through the faces of a volume, as in its row. */
#define NEWTON_PACE(F)                    \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, edge, "entries>edges")       \
  F(in, real, S, "edges," STR(DIM))       \
  F(in, real, w, "edges")                 \
  F(near, real, q, "nodes," STR(NV))      \
  F(in, real, jacobian_fix, "members")    \
  F(in, f64, low_mach, "members,2")       \
  F(opt, f32, compact, "edges")           \
  F(opt_near, f64, mu, "nodes,2")         \
  F(rw, real, T, "nodes")
KERNEL(OF(newton_pace), NEWTON_PACE, heavy)
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
    sum += MEAN(q + NV * i, q + NV * b, out, sign * w[f], damping_of(jacobian_fix[m], low_mach + 2 * m)).wave;
    if (compact) {
      const f64 *own = mu + 2 * i, *other = mu + 2 * b;
      sum += (real)(own[0] + other[0] + own[EDDY] + other[EDDY]) * (real)compact[f] * per;
    }
  }
  T[i] = sum;
}
#endif
