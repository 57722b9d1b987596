/* flux.h - the residual d(u V)/dt of meshes in two passes: faces store their flux (face.h, of each flux), volumes
 * sum their faces in a fixed order (as fast as atomics on an H200, and repeatable), then the boundaries (boundary.h).
 * Once per dimension.  Units: docs/style.md; flux and res [rho_inf a_inf chord] and alike.         */

/* Fields that a face between two volumes reads; its states meet at xf, or, where there is none, midway. */
#define ALE_FACE(F)                                \
  F(in, i32, member, "nodes>members")              \
  F(in, i32, active, "members")                    \
  F(near, f64, x, "nodes," STR(DIM))               \
  F(opt, f64, xf, "edges," STR(DIM))               \
  F(in, real, S, "edges," STR(DIM))                \
  F(in, real, w, "edges")                          \
  F(near, real, q, "nodes," STR(NV))               \
  F(near, real, grad, "nodes," STR(NG))            \
  F(in, f64, low_mach, "members,2") /* z, 1 / z */ \
  F(val, real, entropy_fix, "")     /* share of |V_r| + z a |S| */

/* Ways from volume a to where the states of face i meet, and from there to volume b. */
HD void N(face_ways)(const i32 i, const i32 a, const i32 b, const f64 *x, const f64 *xf, real *to, real *on)
{
  if (xf) {
    for (i32 k = 0; k < DIM; k++) {
      const f64 at = xf[DIM * i + k];
      to[k]        = (real)(at - x[DIM * a + k]);
      on[k]        = (real)(x[DIM * b + k] - at);
    }
    return;
  }
  N(fit_apart)(x, a, b, to);
  for (i32 k = 0; k < DIM; k++) on[k] = to[k] *= R(0.5);
}

/* Reconstruction to the face of the states on both sides; 1 where a gradient asks for a negative density or pressure,
 * of which no more than a part is taken (theory eq. 2.4e).                                      */
HD i32 N(face_states)(const i32 a, const i32 b, const real *to, const real *on, const real *q, const real *grad,
                      real *l, real *r)
{
  real ga[NG], gb[NG], qa[NV], qb[NV];
  N(state_load)(q + NV * a, qa), N(state_load)(q + NV * b, qb);
  N(slope_load)(grad + NG * a, ga), N(slope_load)(grad + NG * b, gb);
  for (i32 k = 0; k < NV; k++) {
    l[k] = qa[k] + N(vec_dot)(ga + DIM * k, to);
    r[k] = qb[k] - N(vec_dot)(gb + DIM * k, on);
  }
  const i32 from = N(gas_positive)(qa, l), at = N(gas_positive)(qb, r);
  return from || at;
}

#define ALE_FLUX(F)                                          \
  ALE_FACE(F)                                                \
  F(in, i32, lr, "edges,2>nodes")                            \
  F(out, i32, lowered, "edges") /* 1: of a negative state */ \
  F(out, real, flux, "edges," STR(NV))

/* Fluxes of a viscous gas: with what passes by viscosity, which is added to f, in one pass over the faces (theory
 * eq. 9.2). */
#define ALE_FLUX_VISCOUS(F)                                         \
  ALE_FLUX(F)                                                       \
  F(near, real, slope, "nodes," STR(NG)) /* gradients, unlimited */ \
  F(near, f64, mu, "nodes,2")            /* of molecules, eddies */ \
  F(in, real, jump, "edges")             /* c / |S|^2 */            \
  F(val, real, conduct, "")              /* 1 / Pr */               \
  F(val, real, conduct_eddy, "")         /* 1 / Pr_t */
HD void N(face_viscous)(const i32 i, const i32 a, const i32 b, real *f ALE_FLUX_VISCOUS(PARAM))
{
  real qa[NV], qb[NV], ga[NG], gb[NG], d[DIM], v[DIM], g[DIM + 1][DIM];
  N(state_load)(q + NV * a, qa), N(state_load)(q + NV * b, qb);
  N(slope_load)(slope + NG * a, ga), N(slope_load)(slope + NG * b, gb);
  N(fit_apart)(x, a, b, d);
  N(face_gradients)(qa, qb, ga, gb, d, S + DIM * i, jump[i], g);
  for (i32 k = 0; k < DIM; k++) v[k] = R(0.5) * (qa[VELOCITY + k] + qb[VELOCITY + k]);
  const real molecules = (real)(0.5 * (mu[2 * a] + mu[2 * b])),
             eddies    = (real)(0.5 * (mu[2 * a + EDDY] + mu[2 * b + EDDY]));
  N(viscous_flux)(v, g, S + DIM * i, molecules + eddies, molecules * conduct + eddies * conduct_eddy, f);
}

/* res = sum of fluxes + c0 V u + past: the residual of the implicit step (theory eq. 2.14). */
#define ALE_TIME(F)                                                         \
  F(in, f64, V, "nodes")                                                    \
  F(in, real, u, "nodes," STR(NV))                                          \
  F(in, real, past, "nodes," STR(NV)) /* c1 V^n u^n + c2 V^(n-1) u^(n-1) */ \
  F(in, f64, bdf, "members,3")        /* c0, c1, c2 [1/s]; zero: steady */
#define ALE_RESIDUAL(F)                   \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, edge, "entries>edges")       \
  F(in, real, flux, "edges," STR(NV))     \
  ALE_TIME(F)                             \
  F(out, real, res, "nodes," STR(NV))
LANES(N(ale_residual), ALE_RESIDUAL, indirect, NV)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real c = (real)(bdf[3 * m] * V[i]);
  real       s[WIDTH(NV)];
  for (i32 k = 0; k < WIDTH(NV); k++) s[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const real sign = neighbour[e] > i ? R(1) : R(-1); /* an edge runs to its higher node */
    for (i32 k = 0; k < WIDTH(NV); k++) s[k] += sign * flux[NV * edge[e] + lane + k];
  }
  for (i32 k = 0; k < WIDTH(NV); k++) {
    const i32 at = NV * i + lane + k;
    res[at]      = s[k] + (c * u[at] + past[at]);
  }
}
