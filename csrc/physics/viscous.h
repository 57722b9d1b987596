/* viscous.h - viscosity of a gas and what passes a face by it (docs/theory.md, section 9), once per dimension; in
 * the units of gas.h, lengths in chords.  Stress (mu + mu_t)(grad v + grad v^T - 2/3 div v), heat flux
 * -(mu / Pr + mu_t / Pr_t) grad T / (gamma - 1), T = gamma p / rho.                               */
#ifndef EDDY
/* Viscosities side by side: of molecules, of eddies. */
#define EDDY 1
/* Sutherland's law, mu over mu_inf; s: its temperature over that of the stream. */
HD real sutherland(real T, real s)
{
  return T * root(T) * (R(1) + s) / (T + s);
}
#endif

HD real N(gas_temperature)(const real *q)
{
  return GAMMA * q[PRESSURE] * reciprocal(q[DENSITY]);
}

/* Compact coefficient c of a face S between states d apart: |S|^2 over d . S, over |d||S| / 2 at least (theory eq.
 * 9.3).                                                                                         */
HD real N(face_compact)(const real *d, const real *S)
{
  const real along = N(vec_dot)(d, S), square = N(vec_dot)(S, S);
  const real least = R(0.5) * sqrt(N(vec_dot)(d, d) * square);
  return square > 0 ? square / larger(along, least) : R(0);
}

/* Adds to the mean gradient g (DIM) of a variable the share along S that the jump of its values asks for;
 * per: c / |S|^2.                                                                               */
HD void N(compact_gradient)(const real jump, const real *d, const real *S, real per, real *g)
{
  N(vec_add)(g, per * (jump - N(vec_dot)(g, d)), S);
}

/* Gradients at the face, rows of the velocity's and at last that of the temperature, from the states a and b
 * and their gradients ga, gb; per: c / |S|^2.                                                   */
HD void N(face_gradients)(const real *a, const real *b, const real *ga, const real *gb, const real *d, const real *S,
                          real per, real g[DIM + 1][DIM])
{
  const real ra = reciprocal(a[DENSITY]), rb = reciprocal(b[DENSITY]);
  for (i32 l = 0; l < DIM; l++) {
    for (i32 k = 0; k < DIM; k++) {
      const i32 at = DIM * (VELOCITY + k) + l;
      g[k][l]      = R(0.5) * (ga[at] + gb[at]);
    }
    const real ta = ra * (ga[DIM * PRESSURE + l] - a[PRESSURE] * ra * ga[DIM * DENSITY + l]);
    const real tb = rb * (gb[DIM * PRESSURE + l] - b[PRESSURE] * rb * gb[DIM * DENSITY + l]);
    g[DIM][l]     = R(0.5) * GAMMA * (ta + tb);
  }
  for (i32 k = 0; k < DIM; k++) N(compact_gradient)(b[VELOCITY + k] - a[VELOCITY + k], d, S, per, g[k]);
  N(compact_gradient)(GAMMA * (b[PRESSURE] * rb - a[PRESSURE] * ra), d, S, per, g[DIM]);
}

/* Takes from f what passes face S by viscosity mu and conduction `heat` (mu / Pr + mu_t / Pr_t), with the
 * velocity v there and the gradients g.                                                         */
HD void N(viscous_flux)(const real *v, real g[DIM + 1][DIM], const real *S, real mu, real heat, real *f)
{
  real div = 0, work = 0;
  for (i32 k = 0; k < DIM; k++) div += g[k][k];
  for (i32 k = 0; k < DIM; k++) {
    real t = -R(2.0 / 3.0) * div * S[k];
    for (i32 l = 0; l < DIM; l++) t += (g[k][l] + g[l][k]) * S[l];
    f[MOMENTUM + k] -= mu * t;
    work += mu * t * v[k];
  }
  f[ENERGY] -= work + heat * GAS_ENERGY * N(vec_dot)(g[DIM], S);
}

/* Column j of what a change of state q moves through the face to the other side, by the compact part alone with
 * viscosities frozen: momentum m (1 + n n^T / 3) dv, energy v . that + k de (theory eq. 9.4).
 * m, k: mu c and gamma (mu / Pr + mu_t / Pr_t) c; v: velocity at the face.                      */
HD void N(viscous_column)(const real *q, const real *n, const real *v, real m, real k, i32 j, real *column)
{
  const real r = reciprocal(q[DENSITY]), square = N(vec_dot)(q + VELOCITY, q + VELOCITY);
  const real E = GAS_ENERGY * q[PRESSURE] * r + R(0.5) * square;
  real       dv[DIM], de = j == DENSITY ? r * (square - E) : j == ENERGY ? r : R(0);
  for (i32 l = 0; l < DIM; l++) {
    dv[l] = j == DENSITY ? -r * q[VELOCITY + l] : j == MOMENTUM + l ? r : R(0);
    de    = j == MOMENTUM + l ? -r * q[VELOCITY + l] : de;
  }
  const real across = R(1.0 / 3.0) * N(vec_dot)(n, dv);
  column[DENSITY] = 0, column[ENERGY] = k * de;
  for (i32 l = 0; l < DIM; l++) {
    column[MOMENTUM + l] = m * (dv[l] + across * n[l]);
    column[ENERGY] += v[l] * column[MOMENTUM + l];
  }
  for (i32 l = ENERGY + 1; l < NV; l++) column[l] = 0;
}
