/* damping.h - how much upwind fluxes damp (docs/theory.md, section 2.2). */
#pragma once

/* Entropy fix as a share of |V_r| + z a |S|; factors of the acoustic waves' damping, z of jumps of the
 * normal velocity and 1 / z of those of the pressure (theory eq. 2.6b).  sharp: 1 where contact and shear waves
 * have no fix, which would be a viscosity in a boundary layer.                                   */
struct damping {
  real fix, z, per;
  i32  sharp;
};

/* low_mach: z and 1 / z of the member. */
HD struct damping damping_of(real fix, const f64 *low_mach)
{
  const struct damping by = {fix, (real)low_mach[0], (real)low_mach[1], 0};
  return by;
}

/* Harten's entropy fix: |x| rounded below delta. */
HD real riemann_abs(real x, real delta, real per_delta)
{
  const real y = fabs(x);
  return y < delta ? R(0.5) * (x * x + delta * delta) * per_delta : y;
}
