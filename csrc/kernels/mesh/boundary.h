/* boundary.h - boundary conditions of meshes: of each the flux, added to the residual, and its
 * Jacobian, added to the diagonal blocks (docs/theory.md, section 2.2); once per dimension.
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
#define BC_WALL(F) \
  BC_FIELDS(F)     \
  F(rw, real, res, "nodes," STR(NV))
KERNEL(N(bc_wall), BC_WALL, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real p = q[NV * a + PRESSURE];
  for (i32 k = 0; k < DIM; k++) res[NV * a + MOMENTUM + k] += p * S[DIM * i + k];
  res[NV * a + ENERGY] += p * w[i];
}

KERNEL(N(bc_wall_jacobian), BC_JACOBIAN, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  real push[NV] = {0}, p[NV];
  for (i32 k = 0; k < DIM; k++) push[MOMENTUM + k] = S[DIM * i + k];
  push[ENERGY] = w[i];
  N(gas_pressure_row)(q + NV * a, p);
  for (i32 k = 0; k < NB; k++) A[NB * slot[i] + k] += push[k % NV] * p[k / NV];
}

/* Far field: Roe's flux against the free stream lets each characteristic bring its own side. */
#define BC_FARFIELD_FIELDS(F)                                              \
  F(in, f64, stream, "members," STR(NV)) /* primitive */                   \
  F(opt, f64, strength, "members")       /* of a vortex, from bc_vortex */ \
  F(in, f64, centre, "members,2")        /* where it is */                 \
  F(in, f64, x, "nodes," STR(DIM))                                         \
  F(in, f64, low_mach, "members,2")                                        \
  F(val, real, entropy_fix, "")
#define BC_FARFIELD(F)  \
  BC_FIELDS(F)          \
  BC_FARFIELD_FIELDS(F) \
  F(rw, real, res, "nodes," STR(NV))
KERNEL(N(bc_farfield), BC_FARFIELD, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[NV], f[NV];
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, x + DIM * a, out);
  N(flux_roe)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), f);
  for (i32 k = 0; k < NV; k++) res[NV * a + k] += f[k];
}

#define BC_FARFIELD_JACOBIAN(F) BC_JACOBIAN(F) BC_FARFIELD_FIELDS(F)
KERNEL(N(bc_farfield_jacobian), BC_FARFIELD_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[NV];
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, x + DIM * a, out);
  const real *own = q + NV * a, *s = S + DIM * i;
  const struct N(roe_average) mean = N(roe_average)(own, out, s, w[i], damping_of(entropy_fix, low_mach + 2 * m));
  for (i32 j = 0; j < NV; j++) {
    real left[NV], right[NV];
    N(roe_jacobian)(mean, own, out, s, w[i], j, left, right);
    for (i32 k = 0; k < NV; k++) A[NB * slot[i] + ENTRY(NV, k, j)] += left[k];
  }
}
