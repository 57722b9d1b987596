/* jacobian.h - the matrix of the first-order Roe flux with frozen dissipation on a cloud
 * (docs/meshless.md, eq. M.4), in block CSR as that of mesh/jacobian.h, once per dimension.  With
 * 2 (F_ij - F_i) = F_j - F_i - |A| (W_j - W_i) the block of a satellite is V (A_j - |A|), and
 * V (|A| - A_i) goes to the diagonal.  Blocks [chord a_inf]: a residual's units per those of u.     */

#define CLOUD_JACOBIAN(F)                                              \
  F(in, i32, node, "rows>nodes!")                                      \
  CLOUD_FIELDS(F)                                                      \
  SYMMETRY(F)                                                          \
  F(in, i32, diagonal, "rows>blocks!")                                 \
  F(in, i32, slot, "entries>blocks!")                                  \
  F(in, real, jacobian_fix, "members") /* entropy fix of the matrix */ \
  F(in, f64, low_mach, "members,2")                                    \
  F(in, f64, V, "nodes")                                               \
  F(in, f64, bdf, "members,3")                                         \
  F(in, f64, cfl, "members")                                           \
  F(in, f64, pace, "nodes")                                            \
  F(in, real, res, "nodes," STR(NV))                                   \
  F(upd, real, A, "blocks," STR(NB))                                   \
  F(out, real, rhs, "rows," STR(NV))
LANES(N(cloud_jacobian), CLOUD_JACOBIAN, heavy, NV)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *l = q + NV * a, *plane_of = PLANE_OF(a, m), size = (real)V[a];
  real        d[WIDTH(NV)][NV], sum = 0, open[DIM] = {0}; /* d: the lanes' columns of the diagonal block */
  for (i32 j = 0; j < WIDTH(NV); j++)
    for (i32 k = 0; k < NV; k++) d[j][k] = 0;
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) {
    const real *r = q + NV * neighbour[e];
    real        away[DIM], s[DIM], *to = BLOCK_AT(A, NB, slot[e]);
    const real  w                    = N(cloud_satellite)(x, a, neighbour[e], inverse, v, squared, away, s);
    const struct N(roe_average) mean = N(roe_average)(l, r, s, w, damping_of(jacobian_fix[m], low_mach + 2 * m));
    for (i32 j = 0; j < WIDTH(NV); j++) {
      real left[NV], right[NV];
      N(roe_jacobian)(mean, l, r, s, w, lane + j, left, right);
      for (i32 k = 0; k < NV; k++) right[k] *= R(2) * size, d[j][k] += R(2) * left[k];
      if (plane_of) N(along)(plane_of, right + MOMENTUM);
      N(state_put)(to + ENTRY(NV, 0, lane + j), right);
    }
    sum += mean.wave;
    for (i32 k = 0; k < DIM; k++) open[k] += s[k];
  }
  if (plane_of) N(along)(plane_of, open); /* every satellite has its mirror image */
  const real per_dtau = sum / (real)(cfl[m] * pace[a]), time = per_dtau + (real)bdf[3 * m];
  for (i32 j = 0; j < WIDTH(NV); j++) {
    real own[NV];
    N(gas_jacobian)(l, open, N(vec_dot)(v, open), lane + j, own);
    if (low_mach[2 * m] < 1) N(low_mach_pace)(l, (real)low_mach[2 * m + 1], per_dtau, lane + j, d[j]);
    for (i32 k = 0; k < NV; k++) d[j][k] = size * (d[j][k] - R(2) * own[k] + (k == lane + j ? time : R(0)));
    if (plane_of) N(along)(plane_of, d[j] + MOMENTUM);
    if (plane_of && lane + j >= MOMENTUM && lane + j < ENERGY) /* no change of the momentum across */
      for (i32 k = 0; k < DIM; k++) d[j][MOMENTUM + k] += size * sum * plane_of[k] * plane_of[lane + j - MOMENTUM];
    N(state_put)(BLOCK_AT(A, NB, diagonal[i]) + ENTRY(NV, 0, lane + j), d[j]);
  }
  for (i32 k = lane; k < lane + WIDTH(NV); k++) rhs[NV * i + k] = -res[NV * a + k];
}
