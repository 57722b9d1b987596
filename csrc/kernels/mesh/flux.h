/* flux.h - the residual d(u V)/dt of meshes in two passes: edges store their flux, nodes sum their
 * edges in a fixed order (as fast as atomics on an H200, and repeatable), then the boundaries (boundary.h).
 * Once per dimension.  Units: docs/style.md; flux and res [rho_inf a_inf chord] and alike.         */

/* Reconstruction to the middle of the edge; the moving face sweeps w [chord a_inf]. */
HD void N(edge_states)(const i32 i, const i32 *lr, const f64 *x, const real *q, const real *grad, real *l, real *r)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1];
  real      half[DIM], ga[NG], gb[NG];
  N(fit_apart)(x, a, b, half);
  for (i32 k = 0; k < DIM; k++) half[k] *= R(0.5);
  N(state_load)(q + NV * a, l), N(state_load)(q + NV * b, r);
  N(slope_load)(grad + NG * a, ga), N(slope_load)(grad + NG * b, gb);
  for (i32 k = 0; k < NV; k++) {
    l[k] += N(vec_dot)(ga + DIM * k, half);
    r[k] -= N(vec_dot)(gb + DIM * k, half);
  }
}

#define ALE_FLUX(F)                                                      \
  F(in, i32, lr, "edges,2>nodes")                                        \
  F(in, i32, member, "nodes>members")                                    \
  F(in, i32, active, "members")                                          \
  F(in, f64, x, "nodes," STR(DIM))                                       \
  F(in, real, S, "edges," STR(DIM))                                      \
  F(in, real, w, "edges")                                                \
  F(in, real, q, "nodes," STR(NV))                                       \
  F(in, real, grad, "nodes," STR(NG))                                    \
  F(in, f64, low_mach, "members,2") /* z, 1 / z */                       \
  F(val, real, entropy_fix, "")     /* share of |V_r| + z a |S| */       \
  F(out, i32, lowered, "edges")     /* 1: first order here, see below */ \
  F(out, real, flux, "edges," STR(NV))
HD void N(ale_flux_by)(const i32 i, const i32 hllc ALE_FLUX(PARAM))
{
  const i32 m = member[lr[2 * i]];
  if (!active[m]) return;
  const struct damping by = damping_of(entropy_fix, low_mach + 2 * m);
  real                 l[NV], r[NV], f[NV];
  N(edge_states)(i, lr, x, q, grad, l, r);
  /* A gradient that asks for a negative density or pressure has nothing to say at this edge: the nodes'
   * own states are taken.  Where that lasts to the end of a step, the run says so.               */
  lowered[i] = !(l[DENSITY] > 0 && r[DENSITY] > 0 && l[PRESSURE] > 0 && r[PRESSURE] > 0);
  if (lowered[i]) N(state_load)(q + NV * lr[2 * i], l), N(state_load)(q + NV * lr[2 * i + 1], r);
  if (hllc)
    N(flux_hllc)(l, r, S + DIM * i, w[i], by, f);
  else
    N(flux_roe)(l, r, S + DIM * i, w[i], by, f);
  N(state_put)(flux + NV * i, f);
}

KERNEL(N(ale_flux_roe), ALE_FLUX, indirect)
{
  N(ale_flux_by)(i, 0 ALE_FLUX(NAME));
}

KERNEL(N(ale_flux_hllc), ALE_FLUX, indirect)
{
  N(ale_flux_by)(i, 1 ALE_FLUX(NAME));
}

/* res = sum of fluxes + c0 V u + past: the residual of the implicit step (theory eq. 2.14). */
#define ALE_RESIDUAL(F)                                                     \
  F(in, i32, member, "nodes>members")                                       \
  F(in, i32, active, "members")                                             \
  F(in, i32, offsets, "nodes+1>>entries")                                   \
  F(in, i32, neighbour, "entries>nodes")                                    \
  F(in, i32, edge, "entries>edges")                                         \
  F(in, real, flux, "edges," STR(NV))                                       \
  F(in, f64, V, "nodes")                                                    \
  F(in, real, u, "nodes," STR(NV))                                          \
  F(in, real, past, "nodes," STR(NV)) /* c1 V^n u^n + c2 V^(n-1) u^(n-1) */ \
  F(in, f64, bdf, "members,3")        /* c0, c1, c2 [1/s]; zero: steady */  \
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
