/* viscous.h - viscosity at nodes and the compact coefficients of faces (docs/theory.md, sections 9.1 and 9.3), once
 * per dimension.  mu [rho_inf a_inf chord], in float64 in both precisions: flux and matrix read it.  */

/* Viscosity by Sutherland's law, and that of eddies by the working variable nt of Spalart and Allmaras, where it is
 * there (eq. 9.7).                                                                              */
#define GAS_VISCOSITY(F)                                                     \
  F(in, i32, member, "nodes>members")                                        \
  F(in, i32, active, "members")                                              \
  F(in, real, q, "nodes," STR(NV))                                           \
  F(in, f64, mu_stream, "members")                                           \
  F(val, real, law, "")     /* Sutherland's temperature over the stream's */ \
  F(opt, real, nt, "nodes") /* nu~ [a_inf chord] */                          \
  F(out, f64, mu, "nodes,2")
KERNEL(N(gas_viscosity), GAS_VISCOSITY, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  real own[NV];
  N(state_load)(q + NV * i, own);
  const real laminar = (real)mu_stream[m] * sutherland(N(gas_temperature)(own), law);
  mu[2 * i]          = (f64)laminar;
  mu[2 * i + EDDY]   = nt ? (f64)eddy_viscosity(own[DENSITY], nt[i], laminar) : 0;
}

/* The row of a node's least squares for a neighbour d away, |d|^-2 M^-1 d. */
HD void N(fit_row)(const real *inverse, const real *d, real *row)
{
  real b[DIM];
  for (i32 k = 0; k < DIM; k++) b[k] = N(fit_weight)(d, 1) * d[k];
  N(fit_apply)(inverse, b, row);
}

/* Coefficients of faces: c over |S|^2 of the flux, which says what a jump of values adds to the gradient along S, and
 * c of the matrix, with what the wide part of that gradient can do where the edge does not lie along S (eq. 9.5);
 * [1 / chord], [chord] over chord.                                                              */
#define VISCOUS_COMPACT(F)               \
  F(near, f64, x, "nodes," STR(DIM))     \
  F(in, i32, lr, "edges,2>nodes")        \
  F(in, real, S, "edges," STR(DIM))      \
  F(near, real, whole, "nodes," STR(NS)) \
  F(out, real, jump, "edges")            \
  F(out, f32, compact, "edges")
KERNEL(N(viscous_compact), VISCOUS_COMPACT, indirect)
{
  const i32   a = lr[2 * i], b = lr[2 * i + 1];
  const real *out = S + DIM * i, square = N(vec_dot)(out, out);
  real        d[DIM], own[DIM], there[DIM], off[DIM];
  N(fit_apart)(x, a, b, d);
  const real c = N(face_compact)(d, out);
  N(fit_row)(whole + NS * a, d, own), N(fit_row)(whole + NS * b, d, there);
  for (i32 k = 0; k < DIM; k++) off[k] = out[k] - c * d[k];
  const real wide = sqrt(N(vec_dot)(own, own)) + sqrt(N(vec_dot)(there, there));
  jump[i]         = square > 0 ? c / square : R(0);
  compact[i]      = (f32)(c + R(0.5) * sqrt(N(vec_dot)(off, off)) * wide);
}
