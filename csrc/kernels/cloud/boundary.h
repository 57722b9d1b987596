/* boundary.h - boundaries of a cloud: what satellites leave open there; of each kind the flux through it,
 * in the place of the point's own, and its Jacobian, added to the diagonal blocks (docs/meshless.md).
 * Units as in residual.h.                                                                        */

/* s of a point at a boundary: what its satellites leave open.  Those beyond an edge, or of a skewed set,
 * may count for more than those on the side of the fluid; s would then point into the fluid, and what
 * a wall should stop would grow.  So s is never less than a quarter of what the latter leave open.  */
#define CLOUD_OPEN(F)                     \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(near, f64, x, "nodes," STR(DIM))      \
  F(in, real, inverse, "nodes," STR(NS))  \
  F(val, i32, squared, "")                \
  F(in, real, normal, "bnodes," STR(DIM)) \
  F(out, real, gap, "bnodes," STR(DIM))
KERNEL(N(cloud_open), CLOUD_OPEN, indirect)
{
  const i32   at   = node[i];
  const real *unit = normal + DIM * i;
  real        sum = 0, inner = 0, d[DIM], a[DIM];
  for (i32 e = offsets[at]; e < offsets[at + 1]; e++) {
    const real out = N(cloud_satellite)(x, at, neighbour[e], inverse, unit, squared, d, a);
    sum -= out, inner += larger(-out, R(0));
  }
  for (i32 k = 0; k < DIM; k++) gap[DIM * i + k] = R(2) * larger(sum, R(0.25) * inner) * unit[k];
}

/* What every kind of boundary reads; bnodes are the points of one patch. */
#define CLOUD_SIDE(F)                          \
  F(in, i32, node, "bnodes>nodes!")            \
  F(in, i32, member, "nodes>members")          \
  F(in, i32, active, "members")                \
  F(in, real, velocity, "nodes," STR(DIM))     \
  F(in, real, q, "nodes," STR(NV))             \
  F(in, f64, V, "nodes")                       \
  F(in, real, normal, "bnodes," STR(DIM))      \
  F(in, real, gap, "bnodes," STR(DIM)) /* s */ \
  F(in, f64, low_mach, "members,2")            \
  SYMMETRY(F)
#define CLOUD_SIDE_FLUX(F) \
  CLOUD_SIDE(F)            \
  F(rw, real, res, "nodes," STR(NV))
#define CLOUD_SIDE_JACOBIAN(F)                                               \
  CLOUD_SIDE(F)                                                              \
  F(in, i32, slot, "bnodes>blocks!") /* diagonal block of the point's row */ \
  F(rw, real, A, "blocks," STR(NB))

/* res += V [through - F(W)].s, with w = v.s; nothing across a plane of symmetry, where `plane` is one. */
HD void N(cloud_close)(real V, const real *own, const real *s, real w, const real *through, const real *plane,
                       real *res)
{
  real f[NV];
  N(gas_flux)(own, s, w, f);
  for (i32 k = 0; k < NV; k++) f[k] = through[k] - f[k];
  if (plane) N(along)(plane, f + MOMENTUM);
  for (i32 k = 0; k < NV; k++) res[k] += V * f[k];
}

/* Column j of what cloud_close adds to the point's block, from that of `through`. */
HD void N(cloud_close_column)(real V, const real *own, const real *s, real w, i32 j, const real *through,
                              const real *plane, real *block)
{
  real f[NV];
  N(gas_jacobian)(own, s, w, j, f);
  for (i32 k = 0; k < NV; k++) f[k] = V * (through[k] - f[k]);
  if (plane) N(along)(plane, f + MOMENTUM);
  for (i32 k = 0; k < NV; k++) block[ENTRY(NV, k, j)] += f[k];
}

/* Through a wall goes the pressure that stops what would flow across. */
KERNEL(N(cloud_wall), CLOUD_SIDE_FLUX, CLOUD_LOOP)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *s = gap + DIM * i;
  if (N(vec_dot)(s, s) == 0) return; /* a sharp edge */
  real own[NV], through[NV];
  N(state_load)(q + NV * a, own);
  N(wall_flux)(own, v, normal + DIM * i, s, (real)low_mach[2 * m], through);
  N(cloud_close)((real)V[a], own, s, N(vec_dot)(v, s), through, PLANE_OF(a, m), res + NV * a);
}

/* The speed of the wave that a wall reflects is frozen. */
KERNEL(N(cloud_wall_jacobian), CLOUD_SIDE_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *unit = normal + DIM * i, *own = q + NV * a, *s = gap + DIM * i;
  const real *plane_of = PLANE_OF(a, m);
  real        press[NV], push[NV] = {0};
  const real  w = N(vec_dot)(v, s), c = (real)low_mach[2 * m] * N(gas_sound)(own);
  N(gas_pressure_row)(own, press);
  press[DENSITY] -= c * N(vec_dot)(v, unit);
  for (i32 k = 0; k < DIM; k++) press[MOMENTUM + k] += c * unit[k], push[MOMENTUM + k] = s[k];
  push[ENERGY] = w;
  for (i32 j = 0; j < NV; j++) {
    real through[NV];
    for (i32 k = 0; k < NV; k++) through[k] = push[k] * press[j];
    N(cloud_close_column)((real)V[a], own, s, w, j, through, plane_of, BLOCK_AT(A, NB, slot[i]));
  }
}

/* Outside of the far field is the stream; Roe's flux lets each characteristic bring its own side. */
#define CLOUD_STREAM(F)                  \
  F(in, f64, x, "nodes," STR(DIM))       \
  F(in, f64, stream, "members," STR(NV)) \
  F(opt, f64, strength, "members")       \
  F(in, f64, centre, "members,2")        \
  F(val, real, entropy_fix, "")
#define CLOUD_FARFIELD(F) CLOUD_SIDE_FLUX(F) CLOUD_STREAM(F)
KERNEL(N(cloud_farfield), CLOUD_FARFIELD, CLOUD_LOOP)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *s = gap + DIM * i;
  if (N(vec_dot)(s, s) == 0) return; /* a sharp edge */
  const real w = N(vec_dot)(velocity + DIM * a, s);
  real       own[NV], out[NV], through[NV];
  N(state_load)(q + NV * a, own);
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, x + DIM * a, out);
  N(flux_roe)(own, out, s, w, damping_of(entropy_fix, low_mach + 2 * m), through);
  N(cloud_close)((real)V[a], own, s, w, through, PLANE_OF(a, m), res + NV * a);
}

#define CLOUD_FARFIELD_JACOBIAN(F) CLOUD_SIDE_JACOBIAN(F) CLOUD_STREAM(F)
KERNEL(N(cloud_farfield_jacobian), CLOUD_FARFIELD_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *own = q + NV * a, *s = gap + DIM * i, *plane_of = PLANE_OF(a, m);
  real        out[NV];
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, x + DIM * a, out);
  if (N(vec_dot)(s, s) == 0) return; /* a sharp edge */
  const real w                     = N(vec_dot)(velocity + DIM * a, s);
  const struct N(roe_average) mean = N(roe_average)(own, out, s, w, damping_of(entropy_fix, low_mach + 2 * m));
  for (i32 j = 0; j < NV; j++) {
    real left[NV], right[NV];
    N(roe_jacobian)(mean, own, out, s, w, j, left, right);
    N(cloud_close_column)((real)V[a], own, s, w, j, left, plane_of, BLOCK_AT(A, NB, slot[i]));
  }
}
