/* cloud_lusgs.h - LU-SGS by colours on a cloud without a matrix (lusgs.h; docs/meshless.md, eq. M.5).
 * In the plane a row works out coefficients and waves of its satellites anew in every sweep, for the
 * sake of memory; in space it finds them, as it would wait for them with twice the satellites.   */
#if DIM == 2
#define CLOUD_LUSGS(F)                                                   \
  LUSGS_ROWS(F)                                                          \
  CLOUD_FIELDS(F)                                                        \
  F(in, i32, wall, "nodes>bnodes?") /* which point of the walls it is */ \
  F(in, real, normal, "bnodes,2")                                        \
  F(in, real, gap, "bnodes,2") /* s */                                   \
  LUSGS_STEP(F)
#else
#define CLOUD_SHARES(F)                               \
  F(in, i32, member, "nodes>members")                 \
  F(in, i32, offsets, "nodes+1>>entries")             \
  F(in, i32, neighbour, "entries>nodes")              \
  F(in, f64, x, "nodes,3")                            \
  F(in, real, inverse, "nodes,6")                     \
  F(val, i32, squared, "")                            \
  CLOUD_PLANE(F)                                      \
  F(out, f32, shares, "entries,4") /* a_ij, |a_ij| */ \
  F(out, real, open, "nodes,3")    /* sum of a_ij */
#define CLOUD_WAVES(F)                \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, q, "nodes,5")           \
  F(out, f32, wave, "nodes,4") /* v, c */
#define CLOUD_LUSGS_3D(F)              \
  LUSGS_ROWS(F)                        \
  NODE_GRAPH(F)                        \
  CLOUD_PLANE(F)                       \
  F(in, i32, wall, "nodes>bnodes?")    \
  F(in, real, normal, "bnodes,3")      \
  F(in, real, gap, "bnodes,3") /* s */ \
  F(in, real, velocity, "nodes,3")     \
  F(in, f32, shares, "entries,4")      \
  F(in, real, open, "nodes,3")         \
  F(in, f32, wave, "nodes,4")          \
  F(in, real, q, "nodes,5")            \
  LUSGS_STEP(F)
#endif

/* A row's own block at a wall, d on the diagonal of all rows, G = n . s / 2.  What the wall lets
 * through takes back the point's own flux across and adds the pressure that stops mu = n . d(rho v):
 *   d du - G mu (1, v, H) = to   along the wall,   (d + 2 G c) mu + G dp = to . n   across.
 * As a number alone, it would leave the wall out of what the sweeps know of reflected waves.    */
HD void N(cloud_wall_row)(const real *own, const real *unit, real G, real d, real *to)
{
  real       part[NV], press[NV], dp = 0, stiff = 0;
  const real across = N(vec_dot)(to + 1, unit), per = reciprocal(d);
  part[0] = R(1), part[NV - 1] = N(gas_enthalpy)(own);
  for (i32 k = 1; k <= DIM; k++) part[k] = own[k], to[k] -= across * unit[k - 1];
  N(along)(unit, part + 1);
  N(gas_pressure_row)(own, press);
  for (i32 k = 0; k < NV; k++) {
    dp += press[k] * to[k];
    stiff += press[k] * part[k];
  }
  const real bent = R(2) * N(gas_sound)(own) + N(vec_dot)(press + 1, unit);
  const real mu   = (across - G * per * dp) * reciprocal(d + G * (bent + G * per * stiff));
  for (i32 k = 0; k < NV; k++) to[k] = per * (to[k] + G * mu * part[k]);
  for (i32 k = 0; k < DIM; k++) to[1 + k] += mu * unit[k];
}

/* Such a row, or where there is no wall one with d alone. */
HD void N(cloud_solve_row)(const real *own, const real *unit, const real *s, real d, real *to)
{
  if (unit) {
    N(cloud_wall_row)(own, unit, R(0.5) * N(vec_dot)(s, unit), d, to);
    return;
  }
  const real per = R(1) / d;
  for (i32 k = 0; k < NV; k++) to[k] *= per;
}

/* The diagonal of a row of LU-SGS (lusgs.h) on a cloud: it has the whole sum of lambda, as half of it
 * would be what the neighbours take.  In place of -A_i times the sum of a_ij, which is not zero at the
 * far field and where points lie closer on one side, stands its spectral radius: left out, it would
 * let smooth changes grow.  open: the sum of a_ij; at a wall its part along.   */
HD real N(cloud_pivot)(const real *own, const real *v, real *open, const real *unit, real sum, f64 pace, f64 c0)
{
  if (unit) N(along)(unit, open);
  return sum / (real)pace + (real)c0 + sum + N(gas_radius)(own, open, N(vec_dot)(v, open));
}

#if DIM == 2
/* Such a row.  Changes across a plane of symmetry are none. */
TEAM(cloud_lusgs, CLOUD_LUSGS, heavy, PAIR)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v     = velocity + 2 * a;
  const real  per_V = R(1) / (real)V[a];
  real        own[4], to[4], sum = 0, open[2] = {0};
  load4(q + 4 * a, own);
  for (i32 k = 0; k < 4; k++) to[k] = lane ? R(0) : -per_V * res[4 * a + k];
  ENTRIES(a, lane, PARTS(PAIR), e, b)
  {
    real there[4], away[2], s[2], d[4], df[4];
    load4(q + 4 * b, there);
    const real w      = cloud_satellite(x, a, b, inverse, v, squared, away, s);
    const real lambda = larger(gas_radius(own, s, w), gas_radius(there, s, w));
    sum += lambda;
    for (i32 k = 0; k < 2; k++) open[k] += s[k];
    if (cold && row_of[b] > i) continue;
    load4(du + 4 * b, d);
    gas_jacobian_apply(there, s, w, d, df);
    for (i32 k = 0; k < 4; k++) to[k] -= df[k] - lambda * d[k];
  }
  sum = together(sum, PAIR);
  for (i32 k = 0; k < 2; k++) open[k] = together(open[k], PAIR);
  for (i32 k = 0; k < 4; k++) to[k] = together(to[k], PAIR);
  const real *unit = wall[a] >= 0 ? normal + 2 * wall[a] : 0;
  const real  d    = cloud_pivot(own, v, open, unit, sum, cfl[m] * pace[a], bdf[3 * m]);
  cloud_solve_row(own, unit, unit ? gap + 2 * wall[a] : 0, d, to);
  if (lane == 0) put4(du + 4 * a, to);
}
#else
/* What the sweeps need of places: a_ij and their size for each satellite, and their sums.  Worked out
 * in every row of every sweep as in the plane, they would keep it waiting, with twice the satellites.
 * In float32, as they are of the way to the solution alone.                                     */
TEAM(cloud_shares_3d, CLOUD_SHARES, heavy, PAIR)
{
  real sum[3] = {0};
  for (i32 e = offsets[i] + lane; e < offsets[i + 1]; e += PARTS(PAIR)) {
    real d[3], s[3];
    cloud_satellite_3d(x, i, neighbour[e], inverse, d, squared, d, s);
    for (i32 k = 0; k < 3; k++) sum[k] += s[k];
    put4_f32(shares + 4 * e, (f32)s[0], (f32)s[1], (f32)s[2], (f32)sqrt(vec_dot_3d(s, s)));
  }
  for (i32 k = 0; k < 3; k++) sum[k] = together(sum[k], PAIR);
  if (on_plane[i]) along_3d(plane + 3 * member[i], sum);
  if (lane == 0)
    for (i32 k = 0; k < 3; k++) open[3 * i + k] = sum[k];
}

/* ... and of the flow: velocity and speed of sound. */
KERNEL(cloud_waves_3d, CLOUD_WAVES, indirect)
{
  if (!active[member[i]]) return;
  real own[5];
  state_load_3d(q + 5 * i, own);
  put4_f32(wave + 4 * i, (f32)own[1], (f32)own[2], (f32)own[3], (f32)gas_sound_3d(own));
}

/* Such a row.  Changes across a plane of symmetry are none. */
TEAM(cloud_lusgs_3d, CLOUD_LUSGS_3D, heavy, PAIR)
{
  const i32 a = node[i], m = member[a], wall_point = wall[a];
  if (!active[m]) return;
  const real *v = velocity + 3 * a, per_V = R(1) / (real)V[a];
  real        to[5], own[4], s[4], rest[3], sum = 0;
  load4_f32(wave + 4 * a, own);
  for (i32 k = 0; k < 5; k++) to[k] = lane ? R(0) : -per_V * res[5 * a + k];
  for (i32 k = 0; k < 3; k++) rest[k] = open[3 * a + k];
  ENTRIES(a, lane, PARTS(PAIR), e, b)
  {
    real      there[4], d[5], df[5];
    const i32 later = cold && row_of[b] > i;
    state_load_3d(du + 5 * b, d);
    load4_f32(shares + 4 * e, s), load4_f32(wave + 4 * b, there);
    const real w = vec_dot_3d(v, s);
    const real lambda =
        larger(fabs(vec_dot_3d(own, s) - w) + own[3] * s[3], fabs(vec_dot_3d(there, s) - w) + there[3] * s[3]);
    sum += lambda;
    if (later) continue;
    const real H = there[3] * there[3] * GAS_ENERGY + R(0.5) * vec_dot_3d(there, there);
    gas_change_3d(there, H, s, w, d, df);
    for (i32 k = 0; k < 5; k++) to[k] -= df[k] - lambda * d[k];
  }
  sum = together(sum, PAIR);
  for (i32 k = 0; k < 5; k++) to[k] = together(to[k], PAIR);
  if (lane) return;
  if (on_plane[a]) along_3d(plane + 3 * m, to + 1);
  real here[5];
  state_load_3d(q + 5 * a, here);
  const real *unit = wall_point >= 0 ? normal + 3 * wall_point : 0;
  const real  d    = cloud_pivot_3d(here, v, rest, unit, sum, cfl[m] * pace[a], bdf[3 * m]);
  cloud_solve_row_3d(here, unit, unit ? gap + 3 * wall_point : 0, d, to);
  state_put_3d(du + 5 * a, to);
}
#endif
