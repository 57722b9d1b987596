/* boundary.h - boundaries of a cloud: what satellites leave open there, of walls and far field the flux
 * through it, and the Jacobians (docs/meshless.md).  Units as in residual.h.                        */

/* s of a point at a boundary: what its satellites leave open.  Those beyond an edge, or of a skewed set,
 * may count for more than those on the side of the fluid; s would then point into the fluid, and what
 * a wall should stop would grow.  So s is never less than a quarter of what the latter leave open.  */
#define CLOUD_OPEN(F)                     \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, f64, x, "nodes," STR(DIM))        \
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

/* res += V [through - F(W)].s: a boundary's flux in the place of the point's own.  Outside of the far
 * field is the stream; Roe's flux lets each characteristic bring its own side.                  */
#define CLOUD_CLOSE(F)                        \
  F(in, i32, node, "bnodes>nodes!")           \
  F(in, i32, at_wall, "bnodes>walls?")        \
  F(in, i32, at_far, "bnodes>fars?")          \
  F(in, i32, member, "nodes>members")         \
  F(in, i32, active, "members")               \
  F(in, real, velocity, "nodes," STR(DIM))    \
  F(in, real, q, "nodes," STR(NV))            \
  F(in, f64, V, "nodes")                      \
  SYMMETRY(F)                                 \
  F(in, real, wall_normal, "walls," STR(DIM)) \
  F(in, real, wall_gap, "walls," STR(DIM))    \
  F(in, real, far_gap, "fars," STR(DIM))      \
  F(in, f64, x, "nodes," STR(DIM))            \
  F(in, f64, stream, "members," STR(NV))      \
  F(opt, f64, strength, "members")            \
  F(in, f64, centre, "members,2")             \
  F(in, f64, low_mach, "members,2")           \
  F(val, real, fix, "")                       \
  F(rw, real, res, "nodes," STR(NV))
KERNEL(N(cloud_close), CLOUD_CLOSE, CLOUD_LOOP)
{
  const i32 a = node[i], m = member[a], sides[2] = {at_wall[i], at_far[i]};
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *plane_of = PLANE_OF(a, m);
  real        own[NV], out[NV], through[NV], f[NV];
  N(state_load)(q + NV * a, own);
  for (i32 side = 0; side < 2; side++) {
    if (sides[side] < 0) continue;
    const real *s = (side ? far_gap : wall_gap) + DIM * sides[side];
    if (N(vec_dot)(s, s) == 0) continue; /* a sharp edge */
    if (side) {
      N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, x + DIM * a, out);
      N(flux_roe)(own, out, s, N(vec_dot)(v, s), damping_of(fix, low_mach + 2 * m), through);
    } else {
      N(wall_flux)(own, v, wall_normal + DIM * sides[0], s, (real)low_mach[2 * m], through);
    }
    N(gas_flux)(own, s, N(vec_dot)(v, s), f);
    for (i32 k = 0; k < NV; k++) f[k] = through[k] - f[k];
    if (plane_of) N(along)(plane_of, f + 1);
    for (i32 k = 0; k < NV; k++) res[NV * a + k] += (real)V[a] * f[k];
  }
}

/* The boundary's flux in the place of the point's own (cloud_close), the speed of the wave that a wall
 * reflects frozen.                                                                              */
#define CLOUD_SIDE(F)                      \
  F(in, i32, node, "bnodes>nodes!")        \
  F(in, i32, member, "nodes>members")      \
  F(in, i32, active, "members")            \
  F(in, real, velocity, "nodes," STR(DIM)) \
  F(in, real, q, "nodes," STR(NV))         \
  F(in, f64, V, "nodes")                   \
  F(in, real, normal, "bnodes," STR(DIM))  \
  F(in, real, gap, "bnodes," STR(DIM)) /* s */
#define CLOUD_WALL_JACOBIAN(F)                                               \
  CLOUD_SIDE(F)                                                              \
  SYMMETRY(F)                                                                \
  F(in, i32, slot, "bnodes>blocks!") /* diagonal block of the point's row */ \
  F(in, f64, low_mach, "members,2")                                          \
  F(rw, real, A, "blocks," STR(NB))
KERNEL(N(cloud_wall_jacobian), CLOUD_WALL_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *unit = normal + DIM * i, *own = q + NV * a, *s = gap + DIM * i;
  const real *plane_of = PLANE_OF(a, m), size = (real)V[a];
  real        press[NV], push[NV]             = {0};
  const real  w = N(vec_dot)(v, s), c = (real)low_mach[2 * m] * N(gas_sound)(own);
  N(gas_pressure_row)(own, press);
  press[0] -= c * N(vec_dot)(v, unit);
  for (i32 k = 0; k < DIM; k++) press[1 + k] += c * unit[k], push[1 + k] = s[k];
  push[NV - 1] = w;
  for (i32 j = 0; j < NV; j++) {
    real column[NV];
    N(gas_jacobian)(own, s, w, j, column);
    for (i32 k = 0; k < NV; k++) column[k] = size * (push[k] * press[j] - column[k]);
    if (plane_of) N(along)(plane_of, column + 1);
    for (i32 k = 0; k < NV; k++) A[NB * slot[i] + ENTRY(NV, k, j)] += column[k];
  }
}

#define CLOUD_FARFIELD_JACOBIAN(F)       \
  CLOUD_WALL_JACOBIAN(F)                 \
  F(in, f64, x, "nodes," STR(DIM))       \
  F(in, f64, stream, "members," STR(NV)) \
  F(opt, f64, strength, "members")       \
  F(in, f64, centre, "members,2")        \
  F(val, real, fix, "")
KERNEL(N(cloud_farfield_jacobian), CLOUD_FARFIELD_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *own = q + NV * a, *s = gap + DIM * i, *plane_of = PLANE_OF(a, m), size = (real)V[a];
  real        out[NV];
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, x + DIM * a, out);
  if (N(vec_dot)(s, s) == 0) return; /* a sharp edge */
  const real w                     = N(vec_dot)(velocity + DIM * a, s);
  const struct N(roe_average) mean = N(roe_average)(own, out, s, w, damping_of(fix, low_mach + 2 * m));
  for (i32 j = 0; j < NV; j++) {
    real left[NV], right[NV], column[NV];
    N(roe_jacobian)(mean, own, out, s, w, j, left, right);
    N(gas_jacobian)(own, s, w, j, column);
    for (i32 k = 0; k < NV; k++) column[k] = size * (left[k] - column[k]);
    if (plane_of) N(along)(plane_of, column + 1);
    for (i32 k = 0; k < NV; k++) A[NB * slot[i] + ENTRY(NV, k, j)] += column[k];
  }
}
