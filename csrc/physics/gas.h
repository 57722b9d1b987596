/* gas.h - perfect gas, gamma = 1.4, and the Euler flux through a moving face in 2-D.
 *   u = (rho, rho u, rho v, rho E)   conserved       q = (rho, u, v, p)   primitive
 * Scaled so that rho = a = 1 in the free stream, p = 1/gamma (docs/theory.md, section 1).     */
#pragma once
#define GAMMA R(1.4)

HD void gas_primitive(const real *u, real *q)
{
  const real r = R(1) / u[0];
  q[0]         = u[0];
  q[1]         = u[1] * r;
  q[2]         = u[2] * r;
  q[3]         = (GAMMA - R(1)) * (u[3] - R(0.5) * (u[1] * q[1] + u[2] * q[2]));
}

HD void gas_conserved(const real *q, real *u)
{
  u[0] = q[0];
  u[1] = q[0] * q[1];
  u[2] = q[0] * q[2];
  u[3] = q[3] / (GAMMA - R(1)) + R(0.5) * q[0] * (q[1] * q[1] + q[2] * q[2]);
}

HD real gas_sound(const real *q)
{
  return sqrt(GAMMA * q[3] / q[0]);
}

HD real gas_enthalpy(const real *q)
{
  return GAMMA / (GAMMA - R(1)) * q[3] / q[0] + R(0.5) * (q[1] * q[1] + q[2] * q[2]);
}

/* F = (rho V_r, rho u V_r + p S, (rho E + p) V_r + w p): theory eq. 2.2 (Ma et al. eq. 2). */
HD void gas_flux(const real *q, const real *S, real w, real *f)
{
  const real vr = q[1] * S[0] + q[2] * S[1] - w, m = q[0] * vr;
  f[0] = m;
  f[1] = m * q[1] + q[3] * S[0];
  f[2] = m * q[2] + q[3] * S[1];
  f[3] = m * gas_enthalpy(q) + w * q[3];
}

/* d p / d u, the row by which a conserved change becomes a change of pressure. */
HD void gas_pressure_row(const real *q, real *row)
{
  const real g = GAMMA - R(1);
  row[0]       = R(0.5) * g * (q[1] * q[1] + q[2] * q[2]);
  row[1]       = -g * q[1];
  row[2]       = -g * q[2];
  row[3]       = g;
}

/* One of four by a number that a device does not know when it compiles: no array, no memory. */
HD real gas_pick(i32 j, real a, real b, real c, real d)
{
  return j == 0 ? a : j == 1 ? b : j == 2 ? c : d;
}

/* Column j of dF/du of the flux above: (V_n - w) 1 + (1, u, v, H) (mass)^T + (0, S, V_n) (dp/du)^T,
 * as what a fixed mass flow carries is u itself, and rho H = rho E + p with the energy.          */
HD void gas_jacobian(const real *q, const real *S, real w, i32 j, real *column)
{
  const real vn = q[1] * S[0] + q[2] * S[1];
  real       row[4];
  gas_pressure_row(q, row);
  const real mass = gas_pick(j, -vn, S[0], S[1], R(0)); /* of d(rho V_n) - V_n d(rho) */
  const real p    = gas_pick(j, row[0], row[1], row[2], row[3]);
  column[0]       = mass;
  column[1]       = q[1] * mass + S[0] * p;
  column[2]       = q[2] * mass + S[1] * p;
  column[3]       = gas_enthalpy(q) * mass + vn * p;
  for (i32 i = 0; i < 4; i++) column[i] += (vn - w) * R(i == j);
}

/* The same Jacobian times a change du, without the matrix. */
HD void gas_jacobian_apply(const real *q, const real *S, real w, const real *du, real *f)
{
  const real vn = q[1] * S[0] + q[2] * S[1];
  real       row[4];
  gas_pressure_row(q, row);
  const real mass = S[0] * du[1] + S[1] * du[2] - vn * du[0];
  const real p    = row[0] * du[0] + row[1] * du[1] + row[2] * du[2] + row[3] * du[3];
  f[0]            = (vn - w) * du[0] + mass;
  f[1]            = (vn - w) * du[1] + q[1] * mass + S[0] * p;
  f[2]            = (vn - w) * du[2] + q[2] * mass + S[1] * p;
  f[3]            = (vn - w) * du[3] + gas_enthalpy(q) * mass + vn * p;
}

/* Largest |eigenvalue| of that Jacobian, times the face. */
HD real gas_radius(const real *q, const real *S, real w)
{
  return fabs(q[1] * S[0] + q[2] * S[1] - w) + gas_sound(q) * sqrt(S[0] * S[0] + S[1] * S[1]);
}
