/* boundary.h - boundary conditions of meshes: of each the flux, added to the residual, and its
 * Jacobian, added to the diagonal blocks (docs/theory.md, section 2.2); once per dimension.  Those with a state
 * beyond the boundary are entries of conditions.h.
 * State in the units of gas.h; S [chord], w [chord a_inf], res [rho_inf a_inf chord] and alike.   */

/* What every boundary condition reads. */
#define BC_FIELDS(F)                  \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, S, "bnodes," STR(DIM))  \
  F(in, real, w, "bnodes")            \
  F(in, real, q, "nodes," STR(NV))

#define BC_JACOBIAN(F)                                                      \
  BC_FIELDS(F)                                                              \
  F(in, i32, slot, "bnodes>blocks!") /* diagonal block of the node's row */ \
  F(rw, real, A, "blocks," STR(NB))
/* Slip wall, weak: u.S = w, so only p S and w p pass. */
#define BC_WALL(F)                     \
  BC_FIELDS(F)                         \
  F(in, f64, x, "nodes," STR(DIM))     \
  F(opt, f64, xf, "bnodes," STR(DIM))  \
  F(opt, real, grad, "nodes," STR(NG)) \
  F(rw, real, res, "nodes," STR(NV))
KERNEL(N(bc_wall), BC_WALL, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real p = N(wall_pressure)(i, a, x, xf, q, grad);
  for (i32 k = 0; k < DIM; k++) res[NV * a + MOMENTUM + k] += p * S[DIM * i + k];
  res[NV * a + ENERGY] += p * w[i];
}

/* Adds to a diagonal block the derivative of a wall's pressure by the state there. */
HD void N(wall_push)(const real *own, const real *S, real w, real *A)
{
  real push[NV] = {0}, p[NV];
  for (i32 k = 0; k < DIM; k++) push[MOMENTUM + k] = S[k];
  push[ENERGY] = w;
  N(gas_pressure_row)(own, p);
  for (i32 k = 0; k < NB; k++) A[k] += push[k % NV] * p[k / NV];
}

KERNEL(N(bc_wall_jacobian), BC_JACOBIAN, indirect)
{
  const i32 a = node[i];
  if (active[member[a]]) N(wall_push)(q + NV * a, S + DIM * i, w[i], BLOCK_AT(A, NB, slot[i]));
}

/* Adds to a diagonal block the derivative of Roe's flux from the node of a boundary to a state beyond, which stays. */
HD void N(bc_beyond)(const real *own, const real *out, const real *S, real w, struct damping damp, real *A)
{
  const struct N(roe_average) mean = N(roe_average)(own, out, S, w, damp);
  for (i32 j = 0; j < NV; j++) {
    real left[NV], right[NV];
    N(roe_jacobian)(mean, own, out, S, w, j, left, right);
    for (i32 k = 0; k < NV; k++) A[ENTRY(NV, k, j)] += left[k];
  }
}
