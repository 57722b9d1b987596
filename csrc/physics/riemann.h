/* riemann.h - upwind fluxes through a moving face (docs/theory.md, section 2.2). */
#pragma once
#include "gas.h"

struct roe_average {
  real u, v, H, a, vn, nx, ny; /* velocity, enthalpy, sound speed, normal velocity, normal */
  real slow, plus, minus;      /* |lambda| times area: contact and shear, u.n + a, u.n - a */
};

/* Harten's entropy fix: |x| rounded below delta. */
HD real riemann_abs(real x, real delta)
{
  const real y = fabs(x);
  return y < delta ? R(0.5) * (x * x + delta * delta) / delta : y;
}

HD struct roe_average roe_average(const real *l, const real *r, const real *S, real w, real fix)
{
  struct roe_average m;
  const real         area = sqrt(S[0] * S[0] + S[1] * S[1]);
  const real         sl = sqrt(l[0]), sr = sqrt(r[0]), t = sl / (sl + sr);
  m.u           = t * l[1] + (R(1) - t) * r[1];
  m.v           = t * l[2] + (R(1) - t) * r[2];
  m.H           = t * gas_enthalpy(l) + (R(1) - t) * gas_enthalpy(r);
  m.a           = sqrt((GAMMA - R(1)) * (m.H - R(0.5) * (m.u * m.u + m.v * m.v)));
  m.nx          = S[0] / area;
  m.ny          = S[1] / area;
  m.vn          = m.u * m.nx + m.v * m.ny;
  const real vr = m.vn - w / area, delta = fix * (fabs(vr) + m.a);
  m.slow  = area * riemann_abs(vr, delta);
  m.plus  = area * riemann_abs(vr + m.a, delta);
  m.minus = area * riemann_abs(vr - m.a, delta);
  return m;
}

/* |A| du for a change du of the conserved state, A the Roe matrix (theory eq. 2.5). */
HD void roe_dissipation(const struct roe_average m, const real *du, real *d)
{
  const real dp = (GAMMA - R(1)) * (R(0.5) * (m.u * m.u + m.v * m.v) * du[0] - m.u * du[1] - m.v * du[2] + du[3]);
  const real mu = du[1] - m.u * du[0], mv = du[2] - m.v * du[0]; /* rho du, rho dv */
  const real mn = mu * m.nx + mv * m.ny;
  const real e  = m.slow * (du[0] - dp / (m.a * m.a));
  const real sx = m.slow * (mu - m.nx * mn), sy = m.slow * (mv - m.ny * mn);
  const real cp = m.plus * (dp + m.a * mn) / (R(2) * m.a * m.a);
  const real cm = m.minus * (dp - m.a * mn) / (R(2) * m.a * m.a);
  const real c = cp + cm, b = (cp - cm) * m.a;
  d[0] = e + c;
  d[1] = e * m.u + sx + c * m.u + b * m.nx;
  d[2] = e * m.v + sy + c * m.v + b * m.ny;
  d[3] = e * R(0.5) * (m.u * m.u + m.v * m.v) + sx * m.u + sy * m.v + c * m.H + b * m.vn;
}

HD void flux_roe(const real *l, const real *r, const real *S, real w, real fix, real *f)
{
  const struct roe_average m = roe_average(l, r, S, w, fix);
  real                     ul[4], ur[4], fr[4], d[4];
  gas_conserved(l, ul);
  gas_conserved(r, ur);
  for (i32 k = 0; k < 4; k++) ur[k] -= ul[k];
  roe_dissipation(m, ur, d);
  gas_flux(l, S, w, f);
  gas_flux(r, S, w, fr);
  for (i32 k = 0; k < 4; k++) f[k] = R(0.5) * (f[k] + fr[k] - d[k]);
}

/* HLLC with Einfeldt's wave speeds from the Roe average, relative to the face (theory eq. 2.6). */
HD void flux_hllc(const real *l, const real *r, const real *S, real w, real fix, real *f)
{
  const struct roe_average m    = roe_average(l, r, S, w, fix);
  const real               area = sqrt(S[0] * S[0] + S[1] * S[1]), vf = w / area;
  const real               nl = l[1] * m.nx + l[2] * m.ny, nr = r[1] * m.nx + r[2] * m.ny;
  const real               sl = fmin(nl - gas_sound(l), m.vn - m.a), sr = fmax(nr + gas_sound(r), m.vn + m.a);
  const real               ml = l[0] * (sl - nl), mr = r[0] * (sr - nr);
  const real               s = (r[3] - l[3] + ml * nl - mr * nr) / (ml - mr);
  if (sl >= vf || sr <= vf) {
    gas_flux(sl >= vf ? l : r, S, w, f);
    return;
  }
  const real *q  = s >= vf ? l : r;
  const real  sk = s >= vf ? sl : sr, nk = s >= vf ? nl : nr;
  real        u[4];
  gas_conserved(q, u);
  gas_flux(q, S, w, f);
  const real ratio = (sk - nk) / (sk - s), rho = q[0] * ratio;
  const real star[4] = {rho, rho * (q[1] + (s - nk) * m.nx), rho * (q[2] + (s - nk) * m.ny),
                        ratio * (u[3] + (s - nk) * (q[0] * s + q[3] / (sk - nk)))};
  for (i32 k = 0; k < 4; k++) f[k] += area * (sk - vf) * (star[k] - u[k]);
}

/* Column j of the Jacobian of the first-order Roe flux with its dissipation frozen (theory eq.
 * 2.9): left = dF/du_l = (A(l) + |A|)/2, right = dF/du_r = (A(r) - |A|)/2.                      */
HD void roe_jacobian(const struct roe_average m, const real *l, const real *r, const real *S, real w, i32 j, real *left,
                     real *right)
{
  const real e[4] = {R(j == 0), R(j == 1), R(j == 2), R(j == 3)};
  real       d[4];
  roe_dissipation(m, e, d);
  gas_jacobian(l, S, w, j, left);
  gas_jacobian(r, S, w, j, right);
  for (i32 i = 0; i < 4; i++) {
    left[i]  = R(0.5) * (left[i] + d[i]);
    right[i] = R(0.5) * (right[i] - d[i]);
  }
}
