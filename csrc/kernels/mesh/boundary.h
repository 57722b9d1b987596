/* boundary.h - boundary conditions of meshes: of each the flux, added to the residual, and its
 * Jacobian, added to the diagonal blocks (docs/theory.md, section 2.2).
 * State in the units of gas.h; S [chord], w [chord a_inf], res [rho_inf a_inf chord] and alike.   */

/* What every boundary condition reads. */
#define BC_FIELDS(F)                  \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, S, "bnodes,2")          \
  F(in, real, w, "bnodes")            \
  F(in, real, q, "nodes,4")

#define BC_JACOBIAN(F)                                                      \
  BC_FIELDS(F)                                                              \
  F(in, i32, slot, "bnodes>blocks!") /* diagonal block of the node's row */ \
  F(rw, real, A, "blocks,16")
/* Slip wall, weak: u.S = w, so only p S and w p pass. */
#define BC_WALL(F) \
  BC_FIELDS(F)     \
  F(rw, real, res, "nodes,4")
KERNEL(bc_wall, BC_WALL, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real p = q[4 * a + 3];
  res[4 * a + 1] += p * S[2 * i];
  res[4 * a + 2] += p * S[2 * i + 1];
  res[4 * a + 3] += p * w[i];
}

KERNEL(bc_wall_jacobian, BC_JACOBIAN, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real push[4] = {R(0), S[2 * i], S[2 * i + 1], w[i]};
  real       p[4];
  gas_pressure_row(q + 4 * a, p);
  for (i32 k = 0; k < 16; k++) A[16 * slot[i] + k] += push[k % 4] * p[k / 4];
}

/* Far field: Roe's flux against the free stream lets each characteristic bring its own side. */
#define BC_FARFIELD_FIELDS(F)                                        \
  F(in, f64, stream, "members,4")  /* primitive */                   \
  F(opt, f64, strength, "members") /* of a vortex, from bc_vortex */ \
  F(in, f64, centre, "members,2")  /* where it is */                 \
  F(in, f64, x, "nodes,2")                                           \
  F(in, f64, low_mach, "members,2")                                  \
  F(val, real, fix, "")
#define BC_FARFIELD(F)  \
  BC_FIELDS(F)          \
  BC_FARFIELD_FIELDS(F) \
  F(rw, real, res, "nodes,4")
KERNEL(bc_farfield, BC_FARFIELD, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[4], f[4];
  farfield_state(stream + 4 * m, strength ? strength + m : 0, centre + 2 * m, x + 2 * a, out);
  flux_roe(q + 4 * a, out, S + 2 * i, w[i], damping_of(fix, low_mach + 2 * m), f);
  for (i32 k = 0; k < 4; k++) res[4 * a + k] += f[k];
}

#define BC_FARFIELD_JACOBIAN(F) BC_JACOBIAN(F) BC_FARFIELD_FIELDS(F)
KERNEL(bc_farfield_jacobian, BC_FARFIELD_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[4];
  farfield_state(stream + 4 * m, strength ? strength + m : 0, centre + 2 * m, x + 2 * a, out);
  const struct roe_average mean = roe_average(q + 4 * a, out, S + 2 * i, w[i], damping_of(fix, low_mach + 2 * m));
  for (i32 j = 0; j < 4; j++) {
    real left[4], right[4];
    roe_jacobian(mean, q + 4 * a, out, S + 2 * i, w[i], j, left, right);
    for (i32 k = 0; k < 4; k++) A[16 * slot[i] + ENTRY(4, k, j)] += left[k];
  }
}
