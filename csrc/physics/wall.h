/* wall.h - what walls and planes of symmetry do to a state, once per dimension (docs/meshless.md).  States
 * in the units of gas.h; velocities [a_inf].                                                     */

/* Flux through a wall that moves by v: its pressure alone, which is that of the fluid plus z rho c times the
 * velocity across (z = 1: of the acoustic wave that stops it, to first order; z < 1 below, low-Mach form).
 * The velocity across tends to zero with the spacing.                                           */
HD void N(wall_flux)(const real *own, const real *v, const real *unit, const real *s, real z, real *f)
{
  const real across = N(vec_dot)(own + 1, unit) - N(vec_dot)(v, unit);
  const real p      = own[PRESSURE] + own[0] * (z * N(gas_sound)(own)) * across;
  f[0]              = 0;
  f[ENERGY]         = p * N(vec_dot)(v, s);
  for (i32 k = 0; k < DIM; k++) f[1 + k] = p * s[k];
  for (i32 k = ENERGY + 1; k < NV; k++) f[k] = 0;
}

/* A row's own block at a wall, d on the diagonal of all rows, G = n . s / 2.  What the wall lets
 * through takes back the point's own flux across and adds the pressure that stops mu = n . d(rho v):
 *   d du - G mu (1, v, H) = to   along the wall,   (d + 2 G c) mu + G dp = to . n   across.
 * As a number alone, it would leave the wall out of what the sweeps know of reflected waves.    */
HD void N(wall_row)(const real *own, const real *unit, real G, real d, real *to)
{
  real       part[NV], press[NV], dp = 0, stiff = 0;
  const real across = N(vec_dot)(to + 1, unit), per = reciprocal(d);
  part[0] = R(1), part[ENERGY] = N(gas_enthalpy)(own);
  for (i32 k = 1; k <= DIM; k++) part[k] = own[k], to[k] -= across * unit[k - 1];
  for (i32 k = ENERGY + 1; k < NV; k++) part[k] = own[k];
  N(along)(unit, part + 1);
  N(gas_pressure_row)(own, press);
  for (i32 k = 0; k < NV; k++) {
    dp += press[k] * to[k];
    stiff += press[k] * part[k];
  }
  const real bent = R(2) * N(gas_sound)(own) + N(vec_dot)(press + 1, unit);
  const real mu   = (across - G * per * dp) * reciprocal(d + G * (bent + G * per * stiff));
  for (i32 k = 0; k < NV; k++) to[k] = per * (to[k] + G * mu * part[k]);
  for (i32 k = 0; k < DIM; k++) to[1 + k] += mu * unit[k];
}

#if DIM == 3
/* No flow through the plane of symmetry: points on it keep density and pressure, and across it the
 * plane's velocity.                                                                             */
HD void state_slip(const real *unit, const real *v, real *c)
{
  const real before = vec_dot_3d(c + 1, c + 1);
  for (i32 k = 0; k < 3; k++) c[1 + k] -= c[0] * v[k];
  along_3d(unit, c + 1);
  for (i32 k = 0; k < 3; k++) c[1 + k] += c[0] * v[k];
  c[ENERGY] += R(0.5) * (vec_dot_3d(c + 1, c + 1) - before) * reciprocal(c[0]);
}
#endif
