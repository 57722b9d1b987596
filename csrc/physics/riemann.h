/* riemann.h - upwind fluxes through a moving face (docs/theory.md, section 2.2), once per dimension; in the
 * units of gas.h times the face S.                                                               */

struct N(roe_average) {
  real v[DIM], H, a, vn, n[DIM]; /* velocity, enthalpy, sound speed, normal velocity, normal */
  real slow, mean, half;         /* |lambda| times area: of contact and shear; of u.n + a and u.n - a
                                  * the mean less slow, and half the difference                     */
  real push, pull;               /* the mean less slow times z and 1 / z */
  real wave;                     /* |V_r| + z a |S|: the fastest wave of pseudo-time */
  real per, left, right;         /* 1 / a; enthalpies of both sides */
};

HD struct N(roe_average) N(roe_average)(const real *l, const real *r, const real *S, real w, struct damping by)
{
  struct N(roe_average) m;
  const real square = N(vec_dot)(S, S), per = reciprocal_root(square), area = square * per;
  const real per_l = reciprocal(l[0]), t = reciprocal(R(1) + root(r[0] * per_l));
  for (i32 k = 0; k < DIM; k++) {
    m.v[k] = r[1 + k] + t * (l[1 + k] - r[1 + k]);
    m.n[k] = S[k] * per;
  }
  m.left        = GAS_ENTHALPY * l[PRESSURE] * per_l + R(0.5) * N(vec_dot)(l + 1, l + 1);
  m.right       = N(gas_enthalpy)(r);
  m.H           = m.right + t * (m.left - m.right);
  const real aa = (GAMMA - R(1)) * (m.H - R(0.5) * N(vec_dot)(m.v, m.v));
  m.per         = reciprocal_root(aa);
  m.a           = aa * m.per;
  m.vn          = N(vec_dot)(m.v, m.n);
  const real vr = m.vn - w * per, delta = by.fix * (fabs(vr) + by.z * m.a), per_delta = reciprocal(delta);
  const real plus = riemann_abs(vr + m.a, delta, per_delta), minus = riemann_abs(vr - m.a, delta, per_delta);
  m.slow = area * (by.sharp ? fabs(vr) : riemann_abs(vr, delta, per_delta));
  m.mean = R(0.5) * area * (plus + minus) - m.slow;
  m.half = R(0.5) * area * (plus - minus);
  m.push = by.z * m.mean;
  m.pull = by.per * m.mean;
  m.wave = by.z * (m.slow + m.mean + fabs(m.half)) + (R(1) - by.z) * fabs(m.half);
  return m;
}

/* |A| du for a change du of the conserved state, A the Roe matrix: slow du and what the acoustic
 * waves add, along (1, v, H) and (0, n, v.n) (theory eq. 2.5, 2.6b).                            */
HD void N(roe_dissipation)(const struct N(roe_average) m, const real *du, real *d)
{
  real dp = R(0.5) * N(vec_dot)(m.v, m.v) * du[0];
  for (i32 k = 0; k < DIM; k++) dp -= m.v[k] * du[1 + k];
  dp            = (GAMMA - R(1)) * (dp + du[ENERGY]) * m.per;
  const real mn = N(vec_dot)(m.n, du + 1) - m.vn * du[0];
  const real c = (m.pull * dp + m.half * mn) * m.per, b = m.push * mn + m.half * dp;
  d[0] = m.slow * du[0] + c;
  for (i32 k = 0; k < DIM; k++) d[1 + k] = m.slow * du[1 + k] + c * m.v[k] + b * m.n[k];
  d[ENERGY] = m.slow * du[ENERGY] + c * m.H + b * m.vn;
}

/* Flux of what the gas carries: the flux of mass f[0] takes along what is on the side that it comes from
 * (Larrouturou 1991).                                                                           */
HD void N(passive_flux)(const real *l, const real *r, real *f)
{
  for (i32 k = ENERGY + 1; k < NV; k++) f[k] = f[0] * (f[0] > 0 ? l[k] : r[k]);
}

/* Twice Roe's flux, and the largest of its wave speeds times the face. */
HD real N(flux_roe_twice)(const real *l, const real *r, const real *S, real w, struct damping by, real *f)
{
  const struct N(roe_average) m = N(roe_average)(l, r, S, w, by);
  const real ml = l[0] * (N(vec_dot)(l + 1, S) - w), mr = r[0] * (N(vec_dot)(r + 1, S) - w);
  const real p = l[PRESSURE] + r[PRESSURE];
  real       du[NV], d[NV];
  du[0]      = r[0] - l[0];
  du[ENERGY] = (r[0] * m.right - r[PRESSURE]) - (l[0] * m.left - l[PRESSURE]);
  for (i32 k = 1; k <= DIM; k++) du[k] = r[0] * r[k] - l[0] * l[k];
  N(roe_dissipation)(m, du, d);
  f[0]      = ml + mr - d[0];
  f[ENERGY] = ml * m.left + mr * m.right + w * p - d[ENERGY];
  for (i32 k = 1; k <= DIM; k++) f[k] = ml * l[k] + mr * r[k] + p * S[k - 1] - d[k];
  N(passive_flux)(l, r, f);
  return m.mean + m.slow + fabs(m.half);
}

HD void N(flux_roe)(const real *l, const real *r, const real *S, real w, struct damping by, real *f)
{
  (void)N(flux_roe_twice)(l, r, S, w, by, f);
  for (i32 k = 0; k < NV; k++) f[k] *= R(0.5);
}

/* What z changes of the damping of acoustic waves, as in Roe's flux (theory eq. 2.6c).  The average is
 * worked out anew, so that without z a device need not keep it.                                 */
HD void N(hllc_low_mach)(const real *l, const real *r, const real *S, real w, struct damping by, real *f)
{
  const struct N(roe_average) m = N(roe_average)(l, r, S, w, by);
  const real nl = N(vec_dot)(l + 1, m.n), nr = N(vec_dot)(r + 1, m.n);
  const real c = R(0.5) * (m.pull - m.mean) * (r[PRESSURE] - l[PRESSURE]) * m.per * m.per;
  const real b = R(0.5) * (m.push - m.mean) * sqrt(l[0] * r[0]) * (nr - nl);
  f[0] -= c;
  for (i32 k = 0; k < DIM; k++) f[1 + k] -= c * m.v[k] + b * m.n[k];
  f[ENERGY] -= c * m.H + b * m.vn;
  N(passive_flux)(l, r, f);
}

/* HLLC with Einfeldt's wave speeds from the Roe average, relative to the face (theory eq. 2.6). */
HD void N(flux_hllc)(const real *l, const real *r, const real *S, real w, struct damping by, real *f)
{
  const struct N(roe_average) m = N(roe_average)(l, r, S, w, by);
  const real area = sqrt(N(vec_dot)(S, S)), vf = w / area;
  const real nl = N(vec_dot)(l + 1, m.n), nr = N(vec_dot)(r + 1, m.n);
  const real sl = fmin(nl - N(gas_sound)(l), m.vn - m.a), sr = fmax(nr + N(gas_sound)(r), m.vn + m.a);
  const real ml = l[0] * (sl - nl), mr = r[0] * (sr - nr);
  const real s = (r[PRESSURE] - l[PRESSURE] + ml * nl - mr * nr) / (ml - mr);
  if (sl >= vf || sr <= vf) {
    N(gas_flux)(sl >= vf ? l : r, S, w, f);
    return;
  }
  const real *q  = s >= vf ? l : r;
  const real  sk = s >= vf ? sl : sr, nk = s >= vf ? nl : nr;
  real        u[NV], star[NV];
  N(gas_conserved)(q, u);
  N(gas_flux)(q, S, w, f);
  const real ratio = (sk - nk) / (sk - s), rho = q[0] * ratio;
  star[0] = rho;
  for (i32 k = 0; k < DIM; k++) star[1 + k] = rho * (q[1 + k] + (s - nk) * m.n[k]);
  star[ENERGY] = ratio * (u[ENERGY] + (s - nk) * (q[0] * s + q[PRESSURE] / (sk - nk)));
  for (i32 k = ENERGY + 1; k < NV; k++) star[k] = rho * q[k];
  for (i32 k = 0; k < NV; k++) f[k] += area * (sk - vf) * (star[k] - u[k]);
  if (by.z < 1) N(hllc_low_mach)(l, r, S, w, by, f);
}

/* Column j of the Jacobian of the first-order Roe flux with its dissipation frozen (theory eq.
 * 2.9): left = dF/du_l = (A(l) + |A|)/2, right = dF/du_r = (A(r) - |A|)/2.                      */
HD void N(roe_jacobian)(const struct N(roe_average) m, const real *l, const real *r, const real *S, real w, i32 j,
                        real *left, real *right)
{
  real e[NV], d[NV];
  for (i32 k = 0; k < NV; k++) e[k] = R(j == k);
  N(roe_dissipation)(m, e, d);
  N(gas_jacobian)(l, S, w, j, left);
  N(gas_jacobian)(r, S, w, j, right);
  for (i32 i = 0; i < NV; i++) {
    left[i]  = R(0.5) * (left[i] + d[i]);
    right[i] = R(0.5) * (right[i] - d[i]);
  }
}

/* Column j of what preconditioned pseudo-time adds to its 1 / dtau on the diagonal (theory eq. 2.10c):
 * (1 / z^2 - 1) / (a^2 dtau) (1, v, H)^T dp/du.                                                 */
HD void N(low_mach_pace)(const real *q, real per_z, real per_dtau, i32 j, real *column)
{
  const real share = (per_z * per_z - R(1)) * per_dtau * q[0] * reciprocal(GAMMA * q[PRESSURE]);
  real       row[NV], p = 0;
  N(gas_pressure_row)(q, row);
  for (i32 k = 0; k < NV; k++) p = j == k ? share * row[k] : p;
  column[0] += p;
  for (i32 k = 1; k <= DIM; k++) column[k] += p * q[k];
  column[ENERGY] += p * N(gas_enthalpy)(q);
  for (i32 k = ENERGY + 1; k < NV; k++) column[k] += p * q[k];
}
