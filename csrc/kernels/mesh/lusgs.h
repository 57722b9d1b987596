/* lusgs.h - LU-SGS by colours without a matrix (Yoon and Jameson 1988; by colours: Zhang et al. 2018,
 * Algorithm 2; docs/theory.md, eq. 2.11b).  With the flux of an edge linearised as
 *   d f = (A_i du_i + A_j du_j) / 2 - lambda (du_j - du_i) / 2,
 * lambda the larger spectral radius of both ends, the faces of a closed cell leave on the diagonal
 * a number, as their area vectors add up to zero: V/dtau + c0 V + sum of lambda / 2.
 * Once per dimension.  lambda and the diagonal [chord a_inf].                                    */

#define LUSGS_ROWS(F)              \
  F(in, i32, node, "rows>nodes!")  \
  F(in, i32, row_of, "nodes>rows") \
  F(val, i32, cold, "")
#define LUSGS_STEP(F)                \
  F(in, f64, V, "nodes")             \
  F(in, f64, bdf, "members,3")       \
  F(in, f64, cfl, "members")         \
  F(in, f64, pace, "nodes")          \
  F(in, real, res, "nodes," STR(NV)) \
  F(upd, real, du, "nodes," STR(NV))

/* Row i of the system solved for its own du with the neighbours' latest: up through the colours and
 * down again is one symmetric sweep.  cold: rows that come later have no du yet.                 */
#define LUSGS_SWEEP(F)               \
  LUSGS_ROWS(F)                      \
  NODE_GRAPH(F)                      \
  F(in, i32, edge, "entries>edges")  \
  F(in, real, S, "edges," STR(DIM))  \
  F(in, real, w, "edges")            \
  F(near, real, q, "nodes," STR(NV)) \
  LUSGS_STEP(F)
TEAM(N(lusgs_sweep), LUSGS_SWEEP, heavy, PAIR)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real own[NV], to[NV], sum = 0, closing[DIM] = {0}, still = 0;
  N(state_load)(q + NV * a, own);
  for (i32 k = 0; k < NV; k++) to[k] = lane ? R(0) : -res[NV * a + k];
  for (i32 e = offsets[a] + lane; e < offsets[a + 1]; e += PARTS(PAIR)) {
    const i32  f = edge[e], b = neighbour[e];
    const real sign = b > a ? R(1) : R(-1), wf = sign * w[f];
    real       out[DIM], there[NV], d[NV], df[NV];
    for (i32 k = 0; k < DIM; k++) out[k] = sign * S[DIM * f + k];
    N(state_load)(q + NV * b, there);
    const real lambda = larger(N(gas_radius)(own, out, wf), N(gas_radius)(there, out, wf));
    sum += lambda;
    still -= wf;
    for (i32 k = 0; k < DIM; k++) closing[k] -= out[k];
    if (cold && row_of[b] > i) continue;
    N(state_load)(du + NV * b, d);
    N(gas_jacobian_apply)(there, out, wf, d, df);
    for (i32 k = 0; k < NV; k++) to[k] -= R(0.5) * (df[k] - lambda * d[k]);
  }
  sum = together(sum, PAIR), still = together(still, PAIR);
  for (i32 k = 0; k < DIM; k++) closing[k] = together(closing[k], PAIR);
  for (i32 k = 0; k < NV; k++) to[k] = together(to[k], PAIR);
  /* What is missing to a closed cell is the boundary's face. */
  const real boundary = N(gas_radius)(own, closing, still);
  const real per      = R(1) / (sum / (real)(cfl[m] * pace[a]) + (real)(bdf[3 * m] * V[a]) + R(0.5) * (sum + boundary));
  for (i32 k = 0; k < NV; k++) to[k] *= per;
  if (lane == 0) N(state_put)(du + NV * a, to);
}
