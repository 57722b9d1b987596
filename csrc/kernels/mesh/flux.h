/* flux.h - the residual d(u V)/dt of meshes in two passes: edges store their flux, nodes sum their
 * edges in a fixed order (as fast as atomics on an H200, and repeatable), then the boundaries (boundary.h).
 * Units: docs/style.md; flux and res [rho_inf a_inf chord] and alike.                            */

/* Reconstruction to the middle of the edge; the moving face sweeps w [chord a_inf]. */
HD void edge_states(const i32 i, const i32 *lr, const f64 *x, const real *q, const real *grad, real *l, real *r)
{
  const i32         a = lr[2 * i], b = lr[2 * i + 1];
  const struct vec2 ab = minus(point(x, b), point(x, a));
  const real        dx = R(0.5) * (real)ab.x, dy = R(0.5) * (real)ab.y;
  real              ga[8], gb[8];
  load4(q + 4 * a, l), load4(q + 4 * b, r);
  load4(grad + 8 * a, ga), load4(grad + 8 * a + 4, ga + 4);
  load4(grad + 8 * b, gb), load4(grad + 8 * b + 4, gb + 4);
  for (i32 k = 0; k < 4; k++) {
    l[k] += ga[2 * k] * dx + ga[2 * k + 1] * dy;
    r[k] -= gb[2 * k] * dx + gb[2 * k + 1] * dy;
  }
}

#define ALE_FLUX(F)                                                             \
  F(in, i32, lr, "edges,2>nodes")                                               \
  F(in, i32, member, "nodes>members")                                           \
  F(in, i32, active, "members")                                                 \
  F(in, f64, x, "nodes,2")                                                      \
  F(in, real, S, "edges,2")                                                     \
  F(in, real, w, "edges")                                                       \
  F(in, real, q, "nodes,4")                                                     \
  F(in, real, grad, "nodes,8")                                                  \
  F(in, f64, low_mach, "members,2") /* z, 1 / z */                              \
  F(val, real, fix, "")             /* entropy fix, share of |V_r| + z a |S| */ \
  F(out, i32, lowered, "edges")     /* 1: first order here, see below */        \
  F(out, real, flux, "edges,4")
HD void ale_flux_by(const i32 i, const i32 hllc ALE_FLUX(PARAM))
{
  const i32 m = member[lr[2 * i]];
  if (!active[m]) return;
  const struct damping by = damping_of(fix, low_mach + 2 * m);
  real                 l[4], r[4], f[4];
  edge_states(i, lr, x, q, grad, l, r);
  /* A gradient that asks for a negative density or pressure has nothing to say at this edge: the nodes'
   * own states are taken.  Where that lasts to the end of a step, the run says so.               */
  lowered[i] = !(l[0] > 0 && r[0] > 0 && l[3] > 0 && r[3] > 0);
  if (lowered[i]) load4(q + 4 * lr[2 * i], l), load4(q + 4 * lr[2 * i + 1], r);
  if (hllc)
    flux_hllc(l, r, S + 2 * i, w[i], by, f);
  else
    flux_roe(l, r, S + 2 * i, w[i], by, f);
  put4(flux + 4 * i, f);
}

KERNEL(ale_flux_roe, ALE_FLUX, indirect)
{
  ale_flux_by(i, 0 ALE_FLUX(NAME));
}

KERNEL(ale_flux_hllc, ALE_FLUX, indirect)
{
  ale_flux_by(i, 1 ALE_FLUX(NAME));
}

/* res = sum of fluxes + c0 V u + past: the residual of the implicit step (theory eq. 2.14). */
#define ALE_RESIDUAL(F)                                              \
  F(in, i32, member, "nodes>members")                                \
  F(in, i32, active, "members")                                      \
  F(in, i32, offsets, "nodes+1>>entries")                            \
  F(in, i32, neighbour, "entries>nodes")                             \
  F(in, i32, edge, "entries>edges")                                  \
  F(in, real, flux, "edges,4")                                       \
  F(in, f64, V, "nodes")                                             \
  F(in, real, u, "nodes,4")                                          \
  F(in, real, past, "nodes,4") /* c1 V^n u^n + c2 V^(n-1) u^(n-1) */ \
  F(in, f64, bdf, "members,3") /* c0, c1, c2 [1/s]; zero: steady */  \
  F(out, real, res, "nodes,4")
LANES(ale_residual, ALE_RESIDUAL, indirect, 4)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real c = (real)(bdf[3 * m] * V[i]);
  real       s[WIDTH(4)];
  for (i32 k = 0; k < WIDTH(4); k++) s[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const real sign = neighbour[e] > i ? R(1) : R(-1); /* an edge runs to its higher node */
    for (i32 k = 0; k < WIDTH(4); k++) s[k] += sign * flux[4 * edge[e] + lane + k];
  }
  for (i32 k = 0; k < WIDTH(4); k++) {
    const i32 at = 4 * i + lane + k;
    res[at]      = s[k] + (c * u[at] + past[at]);
  }
}
