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

/* Adds Roe's flux from the node of a boundary to a state beyond. */
HD void N(bc_through)(const real *own, const real *out, const real *S, real w, struct damping damp, real *res)
{
  real f[NV];
  N(flux_roe)(own, out, S, w, damp, f);
  for (i32 k = 0; k < NV; k++) res[k] += f[k];
}

/* Far field: Roe's flux against the free stream lets each characteristic bring its own side. */
#define BC_FARFIELD_FIELDS(F)                                              \
  F(in, f64, stream, "members," STR(NV)) /* primitive */                   \
  F(opt, f64, strength, "members")       /* of a vortex, from bc_vortex */ \
  F(in, f64, centre, "members,2")        /* where it is */                 \
  F(in, f64, x, "nodes," STR(DIM))                                         \
  F(opt, f64, xf, "bnodes," STR(DIM))                                      \
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
  const f64 *at = xf ? xf + DIM * i : x + DIM * a;
  real       out[NV];
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, at, out);
  N(bc_through)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), res + NV * a);
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

#define BC_FARFIELD_JACOBIAN(F) BC_JACOBIAN(F) BC_FARFIELD_FIELDS(F)
KERNEL(N(bc_farfield_jacobian), BC_FARFIELD_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const f64 *at = xf ? xf + DIM * i : x + DIM * a;
  real       out[NV];
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, at, out);
  N(bc_beyond)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), A + NB * slot[i]);
}

#define BC_OPEN(F)                  \
  F(in, f64, low_mach, "members,2") \
  F(val, real, entropy_fix, "")
/* Outlet: Roe's flux against the state at a given pressure. */
#define BC_OUTLET_FIELDS(F) BC_OPEN(F) F(in, f64, back, "bnodes") /* pressure [rho_inf a_inf^2] */
#define BC_OUTLET(F)  \
  BC_FIELDS(F)        \
  BC_OUTLET_FIELDS(F) \
  F(rw, real, res, "nodes," STR(NV))
KERNEL(N(bc_outlet), BC_OUTLET, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[NV];
  N(outlet_state)(q + NV * a, S + DIM * i, w[i], back[i], out);
  N(bc_through)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), res + NV * a);
}

#define BC_OUTLET_JACOBIAN(F) BC_JACOBIAN(F) BC_OUTLET_FIELDS(F)
KERNEL(N(bc_outlet_jacobian), BC_OUTLET_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[NV];
  N(outlet_state)(q + NV * a, S + DIM * i, w[i], back[i], out);
  N(bc_beyond)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), A + NB * slot[i]);
}

/* Inlet: Roe's flux against the state of a given total state. */
#define BC_INLET_FIELDS(F)                                                                  \
  BC_OPEN(F)                                                                                \
  F(in, f64, total, "bnodes,2")       /* pressure, squared speed of sound of gas at rest */ \
  F(in, f64, way, "bnodes," STR(DIM)) /* unit vector, or 0: across the boundary */
#define BC_INLET(F)  \
  BC_FIELDS(F)       \
  BC_INLET_FIELDS(F) \
  F(rw, real, res, "nodes," STR(NV))
KERNEL(N(bc_inlet), BC_INLET, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[NV];
  N(inlet_state)(q + NV * a, S + DIM * i, w[i], total + 2 * i, way + DIM * i, out);
  N(bc_through)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), res + NV * a);
}

#define BC_INLET_JACOBIAN(F) BC_JACOBIAN(F) BC_INLET_FIELDS(F)
KERNEL(N(bc_inlet_jacobian), BC_INLET_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[NV];
  N(inlet_state)(q + NV * a, S + DIM * i, w[i], total + 2 * i, way + DIM * i, out);
  N(bc_beyond)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), A + NB * slot[i]);
}
