/* rusanov.h - Rusanov's flux (1961), the mean of both sides' less half the fastest wave times the jump, and its
 * derivatives, the wave frozen; once per dimension.  Units as in riemann.h.                        */

struct N(rusanov_mean) {
  real wave; /* the fastest of both sides, times the face */
};

HD struct N(rusanov_mean) N(rusanov_mean)(const real *l, const real *r, const real *S, real w, struct damping by UNUSED)
{
  const struct N(rusanov_mean) m = {larger(N(gas_radius)(l, S, w), N(gas_radius)(r, S, w))};
  return m;
}

HD void N(flux_rusanov)(const real *l, const real *r, const real *S, real w, struct damping by, real *f)
{
  const real wave = N(rusanov_mean)(l, r, S, w, by).wave;
  real       from[NV], to[NV], right[NV];
  N(gas_conserved)(l, from), N(gas_conserved)(r, to);
  N(gas_flux)(l, S, w, f), N(gas_flux)(r, S, w, right);
  for (i32 k = 0; k < NV; k++) f[k] = R(0.5) * (f[k] + right[k] - wave * (to[k] - from[k]));
}

/* Column j: left = (A(l) + wave) / 2, right = (A(r) - wave) / 2. */
HD void N(rusanov_jacobian)(const struct N(rusanov_mean) m, const real *l, const real *r, const real *S, real w, i32 j,
                            real *left, real *right)
{
  N(gas_jacobian)(l, S, w, j, left);
  N(gas_jacobian)(r, S, w, j, right);
  for (i32 k = 0; k < NV; k++) {
    left[k]  = R(0.5) * (left[k] + m.wave * R(j == k));
    right[k] = R(0.5) * (right[k] - m.wave * R(j == k));
  }
}
