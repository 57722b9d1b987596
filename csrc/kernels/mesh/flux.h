/* ale_flux.h - the residual d(u V)/dt in two passes: edges store their flux, nodes sum their
 * edges in a fixed order (as fast as atomics on an H200, and repeatable), then the boundaries. */

/* Reconstruction to the middle of the edge; the moving face sweeps w [m^2/s]. */
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
#define ALE_FLUX_BODY(scheme)                                                                     \
  const i32 m = member[lr[2 * i]];                                                                \
  if (!active[m]) return;                                                                         \
  real l[4], r[4], f[4];                                                                          \
  edge_states(i, lr, x, q, grad, l, r);                                                           \
  /* A gradient that asks for a negative density or pressure has nothing to say at this edge:   \
   * the nodes' own states are taken.  Where that lasts to the end of a step, the run says so. */ \
  lowered[i] = !(l[0] > 0 && r[0] > 0 && l[3] > 0 && r[3] > 0);                                   \
  if (lowered[i]) load4(q + 4 * lr[2 * i], l), load4(q + 4 * lr[2 * i + 1], r);                   \
  scheme(l, r, S + 2 * i, w[i], damping_of(fix, low_mach + 2 * m), f);                            \
  put4(flux + 4 * i, f)
KERNEL(ale_flux_roe, ALE_FLUX, indirect)
{
  ALE_FLUX_BODY(flux_roe);
}
KERNEL(ale_flux_hllc, ALE_FLUX, indirect)
{
  ALE_FLUX_BODY(flux_hllc);
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

/* Rate at which a face sweeps, w = g1 dV^(n+1) + g2 dV^n: the one that keeps a uniform stream
 * uniform under BDF (theory eq. 2.13).                                                         */
#define FACE_RATES(F)                 \
  F(in, i32, member, "faces>members") \
  F(in, f64, rate, "members,2")       \
  F(in, f64, dV1, "faces")            \
  F(in, f64, dV2, "faces")            \
  F(out, real, w, "faces")
KERNEL(face_rates, FACE_RATES, indirect)
{
  const f64 *g = rate + 2 * member[i];
  w[i]         = (real)(g[0] * dV1[i] + g[1] * dV2[i]);
}

/* What every boundary condition reads. */
#define BC_FIELDS(F)                  \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, S, "bnodes,2")          \
  F(in, real, w, "bnodes")            \
  F(in, real, q, "nodes,4")

/* Slip wall, weak: u.S = w, so only p S and w p pass. */
#define BC_WALL(F) \
  BC_FIELDS(F)     \
  F(rw, real, res, "nodes,4")
KERNEL(bc_wall, BC_WALL, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real p = q[4 * a + 3];
  res[4 * a + 1] += p * S[2 * i];
  res[4 * a + 2] += p * S[2 * i + 1];
  res[4 * a + 3] += p * w[i];
}

/* Point vortex at a lifting body, as it looks from afar (Thomas and Salas 1986; theory eq. 2.8b):
 * strength = circulation beta / (2 pi), from the lift of the member's bodies.                   */
#define BC_VORTEX(F)                       \
  F(in, i32, offsets, "members+1>>bodies") \
  F(in, f64, force, "bodies,4")            \
  F(in, f64, stream, "members,4")          \
  F(in, i32, active, "members")            \
  F(out, f64, strength, "members")
KERNEL(bc_vortex, BC_VORTEX, indirect)
{
  if (!active[i]) return;
  const f64 *s = stream + 4 * i, mach2 = s[1] * s[1] + s[2] * s[2];
  f64        lift = 0; /* times the Mach number */
  for (i32 b = offsets[i]; b < offsets[i + 1]; b++) lift += force[4 * b + 1] * s[1] - force[4 * b] * s[2];
  strength[i] = lift / mach2 * sqrt(1 - mach2) / 6.283185307179586;
}

/* Far field: Roe's flux against the free stream lets each characteristic bring its own side. */
#define BC_FARFIELD_FIELDS(F)                                        \
  F(in, f64, stream, "members,4")  /* primitive */                   \
  F(opt, f64, strength, "members") /* of a vortex, from bc_vortex */ \
  F(in, f64, centre, "members,2")  /* where it is */                 \
  F(in, f64, x, "nodes,2")                                           \
  F(in, f64, low_mach, "members,2")                                  \
  F(val, real, fix, "")
#define BC_FARFIELD(F)  \
  BC_FIELDS(F)          \
  BC_FARFIELD_FIELDS(F) \
  F(rw, real, res, "nodes,4")
KERNEL(bc_farfield, BC_FARFIELD, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[4], f[4];
  farfield_state(stream + 4 * m, strength ? strength + m : 0, centre + 2 * m, x + 2 * a, out);
  flux_roe(q + 4 * a, out, S + 2 * i, w[i], damping_of(fix, low_mach + 2 * m), f);
  for (i32 k = 0; k < 4; k++) res[4 * a + k] += f[k];
}

/* Force of the wall's pressures and nose-up moment about a point (theory eq. 2.16): the same
 * pressures as in the flux.  Groups are chunks of one body.                                    */
#define WALL_FORCES(F)                    \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, member, "nodes>members")     \
  F(in, f64, x, "nodes,2")                \
  F(in, real, S, "bnodes,2")              \
  F(in, real, q, "nodes,4")               \
  F(in, f64, about, "members,2")          \
  F(in, f64, stream, "members,4")         \
  F(in, i32, offsets, "groups+1>>bnodes") \
  F(out, f64, sums, "groups,4")
REDUCE(wall_forces, WALL_FORCES, sum, 4)
{
  const i32 a = node[i], m = member[a];
  const f64 p  = (f64)q[4 * a + 3] - stream[4 * m + 3];
  const f64 fx = p * (f64)S[2 * i], fy = p * (f64)S[2 * i + 1];
  s[0] += fx;
  s[1] += fy;
  s[2] -= (x[2 * a] - about[2 * m]) * fy - (x[2 * a + 1] - about[2 * m + 1]) * fx;
}
