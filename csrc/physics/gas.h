/* gas.h - perfect gas and the Euler flux through a moving face, in the plane and in space: included
 * once per dimension, like all headers that name things by N().
 *   u = (rho, rho v, rho E)   conserved       q = (rho, v, p)   primitive
 * and beyond ENERGY, where a set of equations has more, rho s and s of what is carried and p does not know.
 * Scaled so that rho = a = 1 in the free stream, p = 1/gamma (docs/theory.md, section 1).     */
#ifndef GAMMA
/* The one place of gamma = 1 + 2 / 5 = 1.4, of molecules that move in three ways and turn in two;
 * Python reads it as kinemesh.gas.GAMMA.                                                        */
#define GAS_FREEDOM  5
#define GAMMA        (R(GAS_FREEDOM + 2) / R(GAS_FREEDOM))
#define GAS_ENERGY   (R(1) / (GAMMA - R(1))) /* rho e over p; constants are worked out by compilers */
#define GAS_ENTHALPY (GAMMA / (GAMMA - R(1)))
#endif

HD void N(gas_primitive)(const real *u, real *q)
{
  const real r = reciprocal(u[0]);
  q[0]         = u[0];
  for (i32 k = 1; k <= DIM; k++) q[k] = u[k] * r;
  q[PRESSURE] = (GAMMA - R(1)) * (u[ENERGY] - R(0.5) * N(vec_dot)(u + 1, q + 1));
  for (i32 k = ENERGY + 1; k < NV; k++) q[k] = u[k] * r;
}

HD void N(gas_conserved)(const real *q, real *u)
{
  u[0] = q[0];
  for (i32 k = 1; k <= DIM; k++) u[k] = q[0] * q[k];
  u[ENERGY] = GAS_ENERGY * q[PRESSURE] + R(0.5) * q[0] * N(vec_dot)(q + 1, q + 1);
  for (i32 k = ENERGY + 1; k < NV; k++) u[k] = q[0] * q[k];
}

/* d u = (du / dq) dq */
HD void N(gas_conserved_change)(const real *q, const real *dq, real *du)
{
  du[0] = dq[0];
  for (i32 k = 1; k <= DIM; k++) du[k] = q[k] * dq[0] + q[0] * dq[k];
  du[ENERGY] = GAS_ENERGY * dq[PRESSURE] + R(0.5) * N(vec_dot)(q + 1, q + 1) * dq[0] + q[0] * N(vec_dot)(q + 1, dq + 1);
  for (i32 k = ENERGY + 1; k < NV; k++) du[k] = q[k] * dq[0] + q[0] * dq[k];
}

HD real N(gas_sound)(const real *q)
{
  return root(GAMMA * q[PRESSURE] * reciprocal(q[0]));
}

HD real N(gas_enthalpy)(const real *q)
{
  return GAS_ENTHALPY * q[PRESSURE] * reciprocal(q[0]) + R(0.5) * N(vec_dot)(q + 1, q + 1);
}

/* The reconstructed state `to` beside a volume's own, so near to it that density and pressure stay positive
 * (limiter.h); 1 where it had a negative one.                                                   */
HD i32 N(gas_positive)(const real *own, real *to)
{
  const real rho = to[0] * reciprocal(own[0]), p = to[PRESSURE] * reciprocal(own[PRESSURE]);
  const real least = smaller(rho, p), share = limiter_positive(least);
  if (share == R(1)) return 0;
  for (i32 k = 0; k < NV; k++) to[k] = own[k] + share * (to[k] - own[k]);
  return !(least > 0);
}

/* F = (rho V_r, rho v V_r + p S, (rho E + p) V_r + w p): theory eq. 2.2 (Ma et al. eq. 2). */
HD void N(gas_flux)(const real *q, const real *S, real w, real *f)
{
  const real vr = N(vec_dot)(q + 1, S) - w, m = q[0] * vr;
  f[0] = m;
  for (i32 k = 1; k <= DIM; k++) f[k] = m * q[k] + q[PRESSURE] * S[k - 1];
  f[ENERGY] = m * N(gas_enthalpy)(q) + w * q[PRESSURE];
  for (i32 k = ENERGY + 1; k < NV; k++) f[k] = m * q[k];
}

/* d p / d u, the row by which a conserved change becomes a change of pressure. */
HD void N(gas_pressure_row)(const real *q, real *row)
{
  const real g = GAMMA - R(1);
  row[0]       = R(0.5) * g * N(vec_dot)(q + 1, q + 1);
  for (i32 k = 1; k <= DIM; k++) row[k] = -g * q[k];
  row[ENERGY] = g;
  for (i32 k = ENERGY + 1; k < NV; k++) row[k] = 0;
}

/* The Jacobian of the flux above times a change du, without the matrix:
 * (V_n - w) 1 + (1, v, H) (mass)^T + (0, S, V_n) (dp/du)^T, as what a fixed mass flow carries is u
 * itself, and rho H = rho E + p with the energy.                                                 */
HD void N(gas_change)(const real *v, real H, const real *S, real w, const real *du, real *f)
{
  const real vn = N(vec_dot)(v, S), mass = N(vec_dot)(S, du + 1) - vn * du[0];
  const real p = (GAMMA - R(1)) * (R(0.5) * N(vec_dot)(v, v) * du[0] - N(vec_dot)(v, du + 1) + du[ENERGY]);
  f[0]         = (vn - w) * du[0] + mass;
  for (i32 k = 1; k <= DIM; k++) f[k] = (vn - w) * du[k] + v[k - 1] * mass + S[k - 1] * p;
  f[ENERGY] = (vn - w) * du[ENERGY] + H * mass + vn * p;
}

HD void N(gas_jacobian_apply)(const real *q, const real *S, real w, const real *du, real *f)
{
  N(gas_change)(q + 1, N(gas_enthalpy)(q), S, w, du, f);
  for (i32 k = ENERGY + 1; k < NV; k++) f[k] = q[k] * f[0] + (N(vec_dot)(q + 1, S) - w) * (du[k] - q[k] * du[0]);
}

/* Largest |eigenvalue| of that Jacobian, times the face. */
HD real N(gas_radius)(const real *q, const real *S, real w)
{
  return fabs(N(vec_dot)(q + 1, S) - w) + N(gas_sound)(q) * sqrt(N(vec_dot)(S, S));
}

/* Column j of that Jacobian.  A device's compiler does not know j, and would put an array that j indexes
 * into memory: hence the choices `j == k ? :` in loops over k.                                  */
HD void N(gas_jacobian)(const real *q, const real *S, real w, i32 j, real *column)
{
  const real vn = N(vec_dot)(q + 1, S);
  real       row[NV], mass = j == 0 ? -vn : R(0), p = 0; /* mass: of d(rho V_n) - V_n d(rho) */
  N(gas_pressure_row)(q, row);
  for (i32 k = 0; k < NV; k++) p = j == k ? row[k] : p;
  for (i32 k = 1; k <= DIM; k++) mass = j == k ? S[k - 1] : mass;
  column[0] = mass;
  for (i32 k = 1; k <= DIM; k++) column[k] = q[k] * mass + S[k - 1] * p;
  column[ENERGY] = N(gas_enthalpy)(q) * mass + vn * p;
  for (i32 k = ENERGY + 1; k < NV; k++) column[k] = q[k] * mass;
  for (i32 i = 0; i < NV; i++) column[i] += (vn - w) * R(i == j);
}
