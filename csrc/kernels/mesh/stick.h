/* stick.h - faces of walls that a viscous gas sticks to, of volumes that are cells (docs/theory.md, section 9.7), once
 * per dimension: a weak condition, as cells have no values on a wall.  The gradient at a face is that of the cell
 * with the jump from its state to the wall's along S, as between two volumes.  Units: docs/style.md. */

/* Way d from cell a to the wall at its face i.  In thin layers that bend the middle of the face lies along the wall
 * from the cell by many times the cell's height, where the slope across, a difference over that, would count instead
 * of the wall's state: of the part along the face no more is taken than sqrt(3) of that across.   */
HD void N(wall_way)(const i32 i, const i32 a, const f64 *x, const f64 *xf, const real *S, real *d)
{
  const real *out = S + DIM * i, square = N(vec_dot)(out, out);
  real        along[DIM];
  N(fit_way)(x + DIM * a, xf, i, d);
  const real across = N(vec_dot)(d, out);
  if (across == 0 || !(N(vec_dot)(d, d) * square > R(4) * across * across)) return; /* within 60 degrees of S */
  for (i32 k = 0; k < DIM; k++) along[k] = d[k] - across / square * out[k];
  const real share = root(R(3) / square) * fabs(across) / root(N(vec_dot)(along, along));
  for (i32 k = 0; k < DIM; k++) d[k] += (share - R(1)) * along[k];
}

/* Coefficients of these faces, as viscous_compact has them between volumes. */
#define WALL_COMPACT(F)                \
  F(in, i32, node, "bnodes>nodes")     \
  F(in, f64, x, "nodes," STR(DIM))     \
  F(in, f64, xf, "bnodes," STR(DIM))   \
  F(in, real, S, "bnodes," STR(DIM))   \
  F(in, real, whole, "nodes," STR(NS)) \
  F(out, real, jump, "bnodes")         \
  F(out, f32, compact, "bnodes")
KERNEL(N(wall_compact), WALL_COMPACT, indirect)
{
  const i32   a   = node[i];
  const real *out = S + DIM * i, square = N(vec_dot)(out, out);
  real        d[DIM], row[DIM], off[DIM];
  N(wall_way)(i, a, x, xf, S, d);
  const real c = N(face_compact)(d, out);
  N(fit_row)(whole + NS * a, d, row);
  for (i32 k = 0; k < DIM; k++) off[k] = out[k] - c * d[k];
  jump[i]    = square > 0 ? c / square : R(0);
  compact[i] = (f32)(c + R(0.5) * sqrt(N(vec_dot)(off, off) * N(vec_dot)(row, row)));
}

/* Fields of a wall's face and the cell behind it. */
#define STICK_WALL(F)                                                                       \
  F(in, i32, member, "nodes>members")                                                       \
  F(in, i32, active, "members")                                                             \
  F(in, real, S, "bnodes," STR(DIM))                                                        \
  F(in, real, q, "nodes," STR(NV))                                                          \
  F(in, f64, velocity, "bnodes," STR(DIM)) /* of the wall */                                \
  F(val, real, wall_temperature, "")       /* over that of the stream; 0: no heat passes */ \
  F(in, f64, mu, "nodes,2")                                                                 \
  F(in, f64, mu_stream, "members")                                                          \
  F(val, real, law, "")                                                                     \
  F(val, real, conduct, "")
/* Viscosity at a wall, where there are no eddies. */
HD real N(stick_viscosity)(const i32 a STICK_WALL(PARAM))
{
  if (wall_temperature > 0) return (real)mu_stream[member[a]] * sutherland(wall_temperature, law);
  return (real)mu[2 * a];
}

#define STICK_FLUX(F)                  \
  STICK_WALL(F)                        \
  F(in, real, w, "bnodes")             \
  F(in, f64, x, "nodes," STR(DIM))     \
  F(in, f64, xf, "bnodes," STR(DIM))   \
  F(in, real, grad, "nodes," STR(NG))  \
  F(in, real, slope, "nodes," STR(NG)) \
  F(in, real, jump, "bnodes")
/* The flux through face i of a wall from cell a: pressure, stress and their work; the heat that passes, into f with
 * them.                                                                                         */
HD real N(stick_flux)(const i32 i, const i32 a, real *f STICK_FLUX(PARAM))
{
  const i32  warm = wall_temperature > 0;
  const real m = N(stick_viscosity)(a STICK_WALL(NAME)), heat = warm ? m * conduct : R(0);
  const real p = N(wall_pressure)(i, a, x, xf, q, grad);
  real       own[NV], wall[NV], own_slope[NG], d[DIM], g[DIM + 1][DIM];
  N(state_load)(q + NV * a, own), N(state_load)(q + NV * a, wall);
  N(slope_load)(slope + NG * a, own_slope);
  for (i32 k = 0; k < DIM; k++) wall[VELOCITY + k] = (real)velocity[DIM * i + k];
  N(wall_way)(i, a, x, xf, S, d);
  N(face_gradients)(own, wall, own_slope, own_slope, d, S + DIM * i, jump[i], g);
  if (warm) N(vec_add)(g[DIM], jump[i] * (wall_temperature - N(gas_temperature)(own)), S + DIM * i);
  for (i32 k = 0; k < NV; k++) f[k] = 0;
  for (i32 k = 0; k < DIM; k++) f[MOMENTUM + k] = p * S[DIM * i + k];
  f[ENERGY] = p * w[i];
  N(viscous_flux)(wall + VELOCITY, g, S + DIM * i, m, heat, f);
  return -heat * GAS_ENERGY * N(vec_dot)(g[DIM], S + DIM * i);
}

/* Action of a gas on its walls, of which loads are sums: the force, and the heat into a wall of given temperature. */
#define WALL_STRESS(F)                      \
  F(in, i32, node, "bnodes>nodes")          \
  STICK_FLUX(F)                             \
  F(out, f64, reaction, "bnodes," STR(DIM)) \
  F(out, f64, heat, "bnodes")
KERNEL(N(wall_stress), WALL_STRESS, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  real f[NV];
  heat[i] = (f64)N(stick_flux)(i, a, f STICK_FLUX(NAME));
  for (i32 k = 0; k < DIM; k++) reaction[DIM * i + k] = (f64)f[MOMENTUM + k];
}

/* The wall's flux, added to the residual. */
#define BC_STICK(F)                 \
  F(in, i32, node, "bnodes>nodes!") \
  STICK_FLUX(F)                     \
  F(rw, real, res, "nodes," STR(NV))
KERNEL(N(bc_stick), BC_STICK, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  real f[NV];
  N(stick_flux)(i, a, f STICK_FLUX(NAME));
  for (i32 k = 0; k < NV; k++) res[NV * a + k] += f[k];
}

/* Its derivative by the cell's state: of the pressure, and of the compact part of the stress. */
#define BC_STICK_JACOBIAN(F)         \
  F(in, i32, node, "bnodes>nodes!")  \
  STICK_WALL(F)                      \
  F(in, real, w, "bnodes")           \
  F(in, f32, compact, "bnodes")      \
  F(in, i32, slot, "bnodes>blocks!") \
  F(rw, real, A, "blocks," STR(NB))
KERNEL(N(bc_stick_jacobian), BC_STICK_JACOBIAN, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real *out = S + DIM * i, square = N(vec_dot)(out, out), per = square > 0 ? reciprocal_root(square) : R(0);
  const real  m = N(stick_viscosity)(a STICK_WALL(NAME)) * (real)compact[i];
  const real  k = wall_temperature > 0 ? GAMMA * m * conduct : R(0);
  real        unit[DIM], v[DIM], column[NV], *own = BLOCK_AT(A, NB, slot[i]);
  for (i32 l = 0; l < DIM; l++) unit[l] = per * out[l], v[l] = (real)velocity[DIM * i + l];
  N(wall_push)(q + NV * a, out, w[i], own);
  for (i32 j = 0; j < NV; j++) {
    N(viscous_column)(q + NV * a, unit, v, m, k, j, column);
    for (i32 t = 0; t < NV; t++) own[ENTRY(NV, t, j)] += column[t];
  }
}

/* Stress across a wall along which the gas slips, such as a plane of symmetry, beside the pressure:
 * from the gradients of the cell.  There is none along it, nor heat.                              */
#define BC_SLIP_STRESS(F)              \
  F(in, i32, node, "bnodes>nodes!")    \
  F(in, i32, member, "nodes>members")  \
  F(in, i32, active, "members")        \
  F(in, real, S, "bnodes," STR(DIM))   \
  F(in, real, w, "bnodes")             \
  F(in, real, slope, "nodes," STR(NG)) \
  F(in, f64, mu, "nodes,2")            \
  F(rw, real, res, "nodes," STR(NV))
KERNEL(N(bc_slip_stress), BC_SLIP_STRESS, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real *out = S + DIM * i, *g = slope + NG * a + DIM * VELOCITY, square = N(vec_dot)(out, out);
  real        across = 0, div = 0;
  for (i32 k = 0; k < DIM; k++) across += out[k] * N(vec_dot)(g + DIM * k, out), div += g[DIM * k + k];
  across            = square > 0 ? across / square : R(0);
  const real stress = (real)(mu[2 * a] + mu[2 * a + EDDY]) * (R(2) * across - R(2.0 / 3.0) * div);
  for (i32 k = 0; k < DIM; k++) res[NV * a + MOMENTUM + k] -= stress * out[k];
  res[NV * a + ENERGY] -= stress * w[i];
}

/* Matrix of the velocity across a plane of symmetry, beside the pressure's derivative: that of rho a v . n S, which the
 * flux to the mirrored state has and the residual has not, as nothing goes across.  Without it a pair of cells between
 * two such planes, the unknown of a coarse level, has nothing that holds this velocity.          */
#define BC_SLIP_JACOBIAN(F)           \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, S, "bnodes," STR(DIM))  \
  F(in, real, q, "nodes," STR(NV))    \
  F(in, i32, slot, "bnodes>blocks!")  \
  F(rw, real, A, "blocks," STR(NB))
KERNEL(N(bc_slip_jacobian), BC_SLIP_JACOBIAN, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real *out = S + DIM * i, square = N(vec_dot)(out, out);
  const real  per = square > 0 ? N(gas_sound)(q + NV * a) * reciprocal_root(square) : R(0);
  real       *own = BLOCK_AT(A, NB, slot[i]);
  for (i32 k = 0; k < DIM; k++)
    for (i32 l = 0; l < DIM; l++) own[ENTRY(NV, MOMENTUM + k, MOMENTUM + l)] += per * out[k] * out[l];
}

/* nu~ is zero at a wall that the gas sticks to: what passes its face by diffusion, with that of molecules alone there, or where cells are
 * so high that this would be less than none, with a share of it (theory eq. 9.9).                */
#define EDDY_WALL(F)                       \
  F(in, i32, node, "bnodes>nodes!")        \
  F(in, i32, member, "nodes>members")      \
  F(in, i32, active, "members")            \
  F(in, f64, x, "nodes," STR(DIM))         \
  F(in, f64, xf, "bnodes," STR(DIM))       \
  F(in, real, S, "bnodes," STR(DIM))       \
  F(in, real, jump, "bnodes")              \
  F(in, f32, compact, "bnodes")            \
  F(in, real, q, "nodes," STR(NV))         \
  F(in, f64, mu, "nodes,2")                \
  F(in, real, nt, "nodes")                 \
  F(in, real, eta, "nodes")                \
  F(in, real, slope_nt, "nodes," STR(DIM)) \
  F(rw, real, res_nt, "nodes")
/* Adds that to the residual of cell a; its share of the matrix. */
HD real N(eddy_stick)(const i32 i, const i32 a EDDY_WALL(PARAM))
{
  const real *out = S + DIM * i, *g = slope_nt + DIM * a;
  const real  rho = q[NV * a + DENSITY], nu = (real)mu[2 * a] / rho, least = R(0.5) * (R(1) - EDDY_CB2) * nu;
  const real  weight = rho / EDDY_SIGMA * larger((R(1) + EDDY_CB2) * nu - EDDY_CB2 * eta[a], least);
  real        d[DIM];
  N(wall_way)(i, a, x, xf, S, d);
  const real through = N(vec_dot)(g, out) - jump[i] * N(vec_dot)(out, out) * (nt[a] + N(vec_dot)(g, d));
  res_nt[a] -= weight * through;
  return weight * (real)compact[i];
}

#define EDDY_WALL_ROWS(F)              \
  EDDY_WALL(F)                         \
  F(in, i32, line, "bnodes>rows!")     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(rw, f32, A, "blocks,1")            \
  F(rw, f32, rhs_nt, "rows,1")
KERNEL(N(eddy_wall), EDDY_WALL_ROWS, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  A[diagonal[line[i]]] += (f32)N(eddy_stick)(i, a EDDY_WALL(NAME));
  rhs_nt[line[i]] = (f32)-res_nt[a];
}

/* The residual alone. */
KERNEL(N(eddy_wall_residual), EDDY_WALL, indirect)
{
  if (active[member[node[i]]]) N(eddy_stick)(i, node[i] EDDY_WALL(NAME));
}
