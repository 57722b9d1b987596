/* cloud_implicit.h - the matrix of the first-order Roe flux with frozen dissipation on a cloud
 * (docs/meshless.md, eq. M.4), in block CSR as that of ale_implicit.h, once per dimension.  With
 * 2 (F_ij - F_i) = F_j - F_i - |A| (W_j - W_i) the block of a satellite is V (A_j - |A|), and
 * V (|A| - A_i) goes to the diagonal.                                                           */
#ifndef CLOUD_IMPLICIT_ONCE
#define CLOUD_IMPLICIT_ONCE
#define CLOUD_JACOBIAN(F)                       \
  F(in, i32, node, "rows>nodes!")               \
  CLOUD_FIELDS(F)                               \
  CLOUD_PLANE(F)                                \
  F(in, i32, diagonal, "rows>blocks!")          \
  F(in, i32, slot, "entries>blocks!")           \
  F(in, real, fix, "members") /* entropy fix */ \
  F(in, f64, low_mach, "members,2")             \
  F(in, f64, V, "nodes")                        \
  F(in, f64, bdf, "members,3")                  \
  F(in, f64, cfl, "members")                    \
  F(in, f64, pace, "nodes")                     \
  F(in, real, res, "nodes," STR(NV))            \
  F(upd, real, A, "blocks," STR(NB))            \
  F(out, real, rhs, "rows," STR(NV))
#define CLOUD_WALL_JACOBIAN(F)                                               \
  CLOUD_SIDE(F)                                                              \
  CLOUD_PLANE(F)                                                             \
  F(in, i32, slot, "bnodes>blocks!") /* diagonal block of the point's row */ \
  F(in, f64, low_mach, "members,2")                                          \
  F(rw, real, A, "blocks," STR(NB))
#define CLOUD_FARFIELD_JACOBIAN(F)       \
  CLOUD_WALL_JACOBIAN(F)                 \
  F(in, f64, x, "nodes," STR(DIM))       \
  F(in, f64, stream, "members," STR(NV)) \
  F(opt, f64, strength, "members")       \
  F(in, f64, centre, "members,2")        \
  F(val, real, fix, "")
#endif

/* A column of a block in the row of a point: on a plane of symmetry without the momentum across. */
#undef CLOUD_COLUMN
#if DIM == 2
#define CLOUD_COLUMN(column)
#else
#define CLOUD_COLUMN(column) \
  if (on_plane[a]) along_3d(plane + 3 * m, (column) + 1);
#endif

LANES(N(cloud_jacobian), CLOUD_JACOBIAN, heavy, NV)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *l = q + NV * a, size = (real)V[a];
  real        d[WIDTH(NV)][NV], sum = 0, open[DIM] = {0}; /* d: the lanes' columns of the diagonal block */
  for (i32 j = 0; j < WIDTH(NV); j++)
    for (i32 k = 0; k < NV; k++) d[j][k] = 0;
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) {
    const real *r = q + NV * neighbour[e];
    real        away[DIM], s[DIM], *to = A + NB * slot[e];
    const real  w                    = N(cloud_satellite)(x, a, neighbour[e], inverse, v, squared, away, s);
    const struct N(roe_average) mean = N(roe_average)(l, r, s, w, damping_of(fix[m], low_mach + 2 * m));
    for (i32 j = 0; j < WIDTH(NV); j++) {
      real left[NV], right[NV];
      N(roe_jacobian)(mean, l, r, s, w, lane + j, left, right);
      for (i32 k = 0; k < NV; k++) right[k] *= R(2) * size, d[j][k] += R(2) * left[k];
      CLOUD_COLUMN(right)
      N(state_put)(to + ENTRY(NV, 0, lane + j), right);
    }
    sum += mean.pace;
    for (i32 k = 0; k < DIM; k++) open[k] += s[k];
  }
#if DIM == 3
  if (on_plane[a]) along_3d(plane + 3 * m, open); /* every satellite has its mirror image */
#endif
  const real per_dtau = sum / (real)(cfl[m] * pace[a]), time = per_dtau + (real)bdf[3 * m];
  for (i32 j = 0; j < WIDTH(NV); j++) {
    real own[NV];
    N(gas_jacobian)(l, open, N(vec_dot)(v, open), lane + j, own);
    if (low_mach[2 * m] < 1) N(low_mach_pace)(l, (real)low_mach[2 * m + 1], per_dtau, lane + j, d[j]);
    for (i32 k = 0; k < NV; k++) d[j][k] = size * (d[j][k] - R(2) * own[k] + (k == lane + j ? time : R(0)));
    CLOUD_COLUMN(d[j])
#if DIM == 3
    if (on_plane[a] && lane + j > 0 && lane + j < NV - 1) /* no change of the momentum across */
      for (i32 k = 0; k < DIM; k++) d[j][1 + k] += size * sum * plane[3 * m + k] * plane[3 * m + lane + j - 1];
#endif
    N(state_put)(A + NB * diagonal[i] + ENTRY(NV, 0, lane + j), d[j]);
  }
  for (i32 k = lane; k < lane + WIDTH(NV); k++) rhs[NV * i + k] = -res[NV * a + k];
}

/* The boundary's flux in the place of the point's own (cloud_close), the speed of the
 * wave that a wall reflects frozen.                                                             */
KERNEL(N(cloud_wall_jacobian), CLOUD_WALL_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + DIM * a, *unit = normal + DIM * i, *own = q + NV * a, *s = gap + DIM * i;
  const real  size = (real)V[a];
  real        press[NV], push[NV] = {0};
  const real  w = N(vec_dot)(v, s), c = (real)low_mach[2 * m] * N(gas_sound)(own);
  N(gas_pressure_row)(own, press);
  press[0] -= c * N(vec_dot)(v, unit);
  for (i32 k = 0; k < DIM; k++) press[1 + k] += c * unit[k], push[1 + k] = s[k];
  push[NV - 1] = w;
  for (i32 j = 0; j < NV; j++) {
    real column[NV];
    N(gas_jacobian)(own, s, w, j, column);
    for (i32 k = 0; k < NV; k++) column[k] = size * (push[k] * press[j] - column[k]);
    CLOUD_COLUMN(column)
    for (i32 k = 0; k < NV; k++) A[NB * slot[i] + ENTRY(NV, k, j)] += column[k];
  }
}

KERNEL(N(cloud_farfield_jacobian), CLOUD_FARFIELD_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *own = q + NV * a, *s = gap + DIM * i, size = (real)V[a];
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
    CLOUD_COLUMN(column)
    for (i32 k = 0; k < NV; k++) A[NB * slot[i] + ENTRY(NV, k, j)] += column[k];
  }
}
