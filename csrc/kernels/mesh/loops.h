/* loops.h - other loops over the faces of meshes than that of flux.h, which stores each flux: volumes that work
 * out each flux twice, faces in colours, faces with atomic sums (Weng et al. 2021; docs/theory.md, section 2.8).
 * For Roe's flux, on median duals and on cells, once per dimension.  Units: docs/style.md.        */

/* res = c0 V u + past, to which faces add their fluxes. */
#define ALE_RESIDUAL_START(F)         \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  ALE_TIME(F)                         \
  F(out, real, res, "nodes," STR(NV))
LANES(N(ale_residual_start), ALE_RESIDUAL_START, indirect, NV)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real c = (real)(bdf[3 * m] * V[i]);
  EACH_LANE(k, NV)
  res[k] = c * u[k] + past[k];
}

/* Faces give their flux to the volume that it leaves and to that which it enters. */
#define LOOP_FACES(F)                                        \
  ALE_FACE(F)                                                \
  F(in, i32, lr, "edges,2>nodes")                            \
  F(out, i32, lowered, "edges") /* 1: of a negative state */ \
  F(inc, real, res, "nodes," STR(NV))
KERNEL(N(ale_loop_atomics), LOOP_FACES, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1];
  if (!active[member[a]]) return;
  real f[NV];
  lowered[i] = N(face_flux_roe)(i, a, b, 0, f ALE_FACE(NAME));
  for (i32 k = 0; k < NV; k++) add(res + NV * a + k, f[k]), add(res + NV * b + k, -f[k]);
}

/* Over faces of one colour, no two of which have a volume in common. */
KERNEL(N(ale_loop_colours), LOOP_FACES, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1];
  if (!active[member[a]]) return;
  real f[NV], to[NV], from[NV];
  lowered[i] = N(face_flux_roe)(i, a, b, 0, f ALE_FACE(NAME));
  N(state_load)(res + NV * a, to), N(state_load)(res + NV * b, from);
  for (i32 k = 0; k < NV; k++) to[k] += f[k], from[k] -= f[k];
  N(state_put)(res + NV * a, to), N(state_put)(res + NV * b, from);
}

/* The sum of ale_residual, with its bits: each flux is worked out as at the face, from the lower to the higher
 * volume, and added in the same order.                                                          */
#define LOOP_RECOMPUTE(F)                 \
  ALE_FACE(F)                             \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, edge, "entries>edges")       \
  ALE_TIME(F)                             \
  F(out, i32, lowered, "edges")           \
  F(out, real, res, "nodes," STR(NV))
KERNEL(N(ale_loop_recompute), LOOP_RECOMPUTE, FLUXES_LOOP)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real c = (real)(bdf[3 * m] * V[i]);
  real       s[NV];
  for (i32 k = 0; k < NV; k++) s[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32  j = neighbour[e], own = j > i;
    const real sign = own ? R(1) : R(-1);
    real       f[NV];
    const i32  low = N(face_flux_roe)(edge[e], own ? i : j, own ? j : i, 0, f ALE_FACE(NAME));
    if (own) lowered[edge[e]] = low;
    for (i32 k = 0; k < NV; k++) s[k] += sign * f[k];
  }
  for (i32 k = 0; k < NV; k++) {
    const i32 at = NV * i + k;
    res[at]      = s[k] + (c * u[at] + past[at]);
  }
}
