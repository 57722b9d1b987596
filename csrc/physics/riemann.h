/* riemann.h - upwind fluxes through a moving face (docs/theory.md, section 2.2). */
#pragma once
#include "gas.h"

struct roe_average {
  real u, v, H, a, vn, nx, ny; /* velocity, enthalpy, sound speed, normal velocity, normal */
  real slow, mean, half;       /* |lambda| times area: of contact and shear; of u.n + a and u.n - a
                                * the mean less slow, and half the difference                     */
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
  const real         area = sqrt(S[0] * S[0] + S[1] * S[1]), per = R(1) / area;
  const real         sl = sqrt(l[0]), sr = sqrt(r[0]), t = sl / (sl + sr);
  m.u           = r[1] + t * (l[1] - r[1]);
  m.v           = r[2] + t * (l[2] - r[2]);
  m.H           = gas_enthalpy(r) + t * (gas_enthalpy(l) - gas_enthalpy(r));
  m.a           = sqrt((GAMMA - R(1)) * (m.H - R(0.5) * (m.u * m.u + m.v * m.v)));
  m.nx          = S[0] * per;
  m.ny          = S[1] * per;
  m.vn          = m.u * m.nx + m.v * m.ny;
  const real vr = m.vn - w * per, delta = fix * (fabs(vr) + m.a);
  const real plus = riemann_abs(vr + m.a, delta), minus = riemann_abs(vr - m.a, delta);
  m.slow = area * riemann_abs(vr, delta);
  m.mean = R(0.5) * area * (plus + minus) - m.slow;
  m.half = R(0.5) * area * (plus - minus);
  return m;
}

/* |A| du for a change du of the conserved state, A the Roe matrix: slow du and what the acoustic
 * waves add, along (1, u, v, H) and (0, n, u.n) (theory eq. 2.5).                               */
HD void roe_dissipation(const struct roe_average m, const real *du, real *d)
{
  const real per = R(1) / m.a;
  const real dp = (GAMMA - R(1)) * (R(0.5) * (m.u * m.u + m.v * m.v) * du[0] - m.u * du[1] - m.v * du[2] + du[3]) * per;
  const real mn = m.nx * du[1] + m.ny * du[2] - m.vn * du[0];
  const real c = (m.mean * dp + m.half * mn) * per, b = m.mean * mn + m.half * dp;
  d[0] = m.slow * du[0] + c;
  d[1] = m.slow * du[1] + c * m.u + b * m.nx;
  d[2] = m.slow * du[2] + c * m.v + b * m.ny;
  d[3] = m.slow * du[3] + c * m.H + b * m.vn;
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
