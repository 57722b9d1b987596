/* lusgs.h - LU-SGS by colours without a matrix (Yoon and Jameson 1988; by colours: Zhang et al. 2018,
 * Algorithm 2; docs/theory.md, eq. 2.11b).  With the flux of an edge linearised as
 *   d f = (A_i du_i + A_j du_j) / 2 - lambda (du_j - du_i) / 2,
 * lambda the larger spectral radius of both ends, the faces of a closed cell leave on the diagonal
 * a number, as their area vectors add up to zero: V/dtau + c0 V + sum of lambda / 2.
 * lambda and the diagonal [chord a_inf].                                                         */

#define LUSGS_ROWS(F)              \
  F(in, i32, node, "rows>nodes!")  \
  F(in, i32, row_of, "nodes>rows") \
  F(val, i32, cold, "")
#define LUSGS_STEP(F)          \
  F(in, f64, V, "nodes")       \
  F(in, f64, bdf, "members,3") \
  F(in, f64, cfl, "members")   \
  F(in, f64, pace, "nodes")    \
  F(in, real, res, "nodes,4")  \
  F(upd, real, du, "nodes,4")

/* Row i of the system solved for its own du with the neighbours' latest: up through the colours and
 * down again is one symmetric sweep.  cold: rows that come later have no du yet.                 */
#define LUSGS_SWEEP(F)              \
  LUSGS_ROWS(F)                     \
  NODE_GRAPH(F)                     \
  F(in, i32, edge, "entries>edges") \
  F(in, real, S, "edges,2")         \
  F(in, real, w, "edges")           \
  F(in, real, q, "nodes,4")         \
  LUSGS_STEP(F)
TEAM(lusgs_sweep, LUSGS_SWEEP, heavy, PAIR)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real own[4], to[4], sum = 0, closing[2] = {0, 0}, still = 0;
  load4(q + 4 * a, own);
  for (i32 k = 0; k < 4; k++) to[k] = lane ? R(0) : -res[4 * a + k];
  for (i32 e = offsets[a] + lane; e < offsets[a + 1]; e += PARTS(PAIR)) {
    const i32  f = edge[e], b = neighbour[e];
    const real sign = b > a ? R(1) : R(-1), wf = sign * w[f], out[2] = {sign * S[2 * f], sign * S[2 * f + 1]};
    real       there[4], d[4], df[4];
    load4(q + 4 * b, there);
    const real lambda = larger(gas_radius(own, out, wf), gas_radius(there, out, wf));
    sum += lambda;
    closing[0] -= out[0], closing[1] -= out[1], still -= wf;
    if (cold && row_of[b] > i) continue;
    load4(du + 4 * b, d);
    gas_jacobian_apply(there, out, wf, d, df);
    for (i32 k = 0; k < 4; k++) to[k] -= R(0.5) * (df[k] - lambda * d[k]);
  }
  sum = together(sum, PAIR), still = together(still, PAIR);
  for (i32 k = 0; k < 2; k++) closing[k] = together(closing[k], PAIR);
  for (i32 k = 0; k < 4; k++) to[k] = together(to[k], PAIR);
  /* What is missing to a closed cell is the boundary's face. */
  const real boundary = gas_radius(own, closing, still);
  const real per      = R(1) / (sum / (real)(cfl[m] * pace[a]) + (real)(bdf[3 * m] * V[a]) + R(0.5) * (sum + boundary));
  for (i32 k = 0; k < 4; k++) to[k] *= per;
  if (lane == 0) put4(du + 4 * a, to);
}
