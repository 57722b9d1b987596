/* eddies.h - the model of Spalart and Allmaras, its negative branch with it (docs/theory.md, section 9.5): viscosity
 * of eddies, production and destruction.  nu, nt in any unit, lengths and rates in those that fit.  */
#pragma once

/* chi^3 / (chi^3 + cv1^3) of nu~ over nu. */
HD real eddy_damping(real chi)
{
  const real cube = chi * chi * chi;
  return cube / (cube + R(7.1 * 7.1 * 7.1));
}

/* mu_t = rho nt fv1, nothing where nt < 0. */
HD real eddy_viscosity(real rho, real nt, real mu)
{
  return nt > 0 ? rho * nt * eddy_damping(rho * nt / mu) : R(0);
}

#define EDDY_KAPPA R(0.41)
#define EDDY_CB1   R(0.1355)
#define EDDY_CB2   R(0.622)
#define EDDY_SIGMA R(2.0 / 3.0)
#define EDDY_CW1   (EDDY_CB1 / (EDDY_KAPPA * EDDY_KAPPA) + (R(1) + EDDY_CB2) / EDDY_SIGMA)

/* A number with its derivative by nt. */
struct eddy_number {
  real value, slope;
};

/* Vorticity of the production: omega and what the nearness of the wall adds, `bar`, limited so that it stays above
 * zero (Allmaras, Johnson and Spalart 2012, eq. 12).                                             */
HD struct eddy_number eddy_vorticity(real omega, struct eddy_number bar)
{
  const real         c2 = R(0.7), c3 = R(0.9);
  struct eddy_number s = {omega + bar.value, bar.slope};
  if (bar.value >= -c2 * omega) return s;
  const real up = c2 * c2 * omega + c3 * bar.value, per = reciprocal((c3 - R(2) * c2) * omega - bar.value);
  s.value = omega + omega * up * per;
  s.slope = omega * per * (c3 + up * per) * bar.slope;
  return s;
}

/* fw of destruction, from r. */
HD struct eddy_number eddy_wall(struct eddy_number r)
{
  const real         r2 = r.value * r.value, r5 = r2 * r2 * r.value, g = r.value + R(0.3) * (r5 * r.value - r.value);
  const real         g2 = g * g, g6 = g2 * g2 * g2, per = reciprocal(g6 + R(64)), root6 = cbrt(sqrt(R(65) * per));
  struct eddy_number fw = {g * root6, root6 * R(64) * per * (R(0.7) + R(1.8) * r5) * r.slope};
  return fw;
}

/* Production less destruction of nt at a place d from the wall, in a vorticity omega.  d may be infinite: a division,
 * as reciprocal() of an infinite number is NaN on a device.                                     */
HD struct eddy_number eddy_source(real nt, real nu, real omega, real d)
{
  struct eddy_number s;
  const real         per = R(1) / (d * d), near = per / (EDDY_KAPPA * EDDY_KAPPA);
  if (nt < 0) { /* ct3 = 1.2 */
    s.value = R(-0.2) * EDDY_CB1 * omega * nt + EDDY_CW1 * nt * nt * per;
    s.slope = R(-0.2) * EDDY_CB1 * omega + R(2) * EDDY_CW1 * nt * per;
    return s;
  }
  const real chi = nt / nu, fv1 = eddy_damping(chi), cube = R(7.1 * 7.1 * 7.1), all = chi * chi * chi + cube;
  const real fall = reciprocal(R(1) + chi * fv1), fv1_chi = R(3) * cube * chi * chi / (all * all);
  const real fv2 = R(1) - chi * fall, fv2_chi = (chi * chi * fv1_chi - R(1)) * fall * fall;
  const struct eddy_number bar = {nt * fv2 * near, (fv2 + chi * fv2_chi) * near}, st = eddy_vorticity(omega, bar);
  struct eddy_number       r = {R(10), 0};
  if (st.value * R(10) > nt * near) {
    r.value = nt * near / st.value;
    r.slope = (near - r.value * st.slope) / st.value;
  }
  const struct eddy_number fw = eddy_wall(r);
  s.value                     = EDDY_CB1 * st.value * nt - EDDY_CW1 * fw.value * nt * nt * per;
  s.slope = EDDY_CB1 * (st.value + nt * st.slope) - EDDY_CW1 * per * nt * (R(2) * fw.value + nt * fw.slope);
  return s;
}

/* Diffusivity times sigma, nu + nt, of a negative nt nu + nt fn (cn1 = 16). */
HD real eddy_diffusivity(real nt, real nu)
{
  if (nt >= 0) return nu + nt;
  const real chi = nt / nu, cube = chi * chi * chi;
  return nu + nt * (R(16) + cube) / (R(16) - cube);
}
