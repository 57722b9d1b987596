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
/* Rows in their own order, that of their colours, with all that they read once: a point of one colour
 * has none of its kind beside it in memory, and its numbers would bring those of others along.  */
#define CLOUD_LINKS(F)                 \
  F(in, i32, node, "rows>nodes!")      \
  F(in, i32, member, "rows>members")   \
  F(in, i32, offsets, "rows+1>>links") \
  F(in, i32, neighbour, "links>nodes") \
  F(in, i32, on_plane, "rows")         \
  F(in, real, plane, "members,3")
#define CLOUD_SHARES(F)                             \
  CLOUD_LINKS(F)                                    \
  F(in, i32, wall, "rows>bnodes?")                  \
  F(in, real, normal, "bnodes,3")                   \
  F(in, f64, x, "nodes,3")                          \
  F(in, real, inverse, "nodes,6")                   \
  F(val, i32, squared, "")                          \
  F(out, f32, shares, "links,4") /* a_ij, |a_ij| */ \
  F(out, f32, open, "nodes,4")   /* sum of a_ij */
#define CLOUD_DRIFT(F)             \
  F(in, i32, node, "rows>nodes!")  \
  F(in, real, velocity, "nodes,3") \
  F(rw, f32, open, "nodes,4")      \
  F(out, f32, drift, "rows,4")
#define CLOUD_ROWS_3D(F)                                     \
  F(in, i32, row_of, "nodes>rows!")                          \
  F(in, i32, member, "nodes>members")                        \
  F(in, i32, active, "members")                              \
  F(in, i32, wall, "nodes>bnodes?")                          \
  F(in, real, normal, "bnodes,3")                            \
  F(in, real, gap, "bnodes,3")                               \
  F(in, i32, on_plane, "rows")                               \
  F(in, real, plane, "members,3")                            \
  F(in, f32, open, "nodes,4")                                \
  F(in, real, radius, "nodes") /* sum of lambda */           \
  F(in, real, q, "nodes,5")                                  \
  F(in, f64, V, "nodes")                                     \
  F(in, f64, bdf, "members,3")                               \
  F(in, f64, cfl, "members")                                 \
  F(in, f64, pace, "nodes")                                  \
  F(in, real, res, "nodes,5")                                \
  F(val, i32, solved, "")     /* rows of the first colour */ \
  F(upd, real, rhs, "rows,5") /* but of those */             \
  F(out, f32, pivot, "rows")                                 \
  F(out, i32, record, "nodes,8") /* du; velocity of the gas, speed of sound */
#define CLOUD_LUSGS_3D(F)                                        \
  CLOUD_LINKS(F)                                                 \
  F(in, i32, active, "members")                                  \
  F(in, i32, later, "rows>links?") /* first of a later colour */ \
  F(in, i32, wall, "rows>bnodes?")                               \
  F(in, real, normal, "bnodes,3")                                \
  F(in, real, gap, "bnodes,3") /* s */                           \
  F(in, f32, shares, "links,4")                                  \
  F(in, real, rhs, "rows,5")                                     \
  F(in, f32, drift, "rows,4") /* velocity of the point, 0 */     \
  F(in, f32, pivot, "rows")                                      \
  F(in, real, q, "nodes,5")                                      \
  F(val, i32, turn, "")                                          \
  F(val, i32, turns, "")                                         \
  F(rw, real, part, "rows,5")                                    \
  F(upd, i32, record, "nodes,8")
#define CLOUD_LUSGS_LAST_3D(F) \
  CLOUD_LUSGS_3D(F)            \
  F(val, real, most, "")       \
  F(rw, real, u, "nodes,5")    \
  F(rw, f64, pace, "nodes")
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
  const real per = reciprocal(d);
  for (i32 k = 0; k < NV; k++) to[k] *= per;
}

/* The diagonal of a row of LU-SGS (lusgs.h) on a cloud: it has the whole sum of lambda, as half of it
 * would be what the neighbours take.  In place of -A_i times the sum of a_ij, which is not zero at the
 * far field and where points lie closer on one side, stands its spectral radius: left out, it would
 * let smooth changes grow.  open: the sum of a_ij, at a wall its part along; w: the point's own
 * velocity along it.                                                                            */
HD real N(cloud_pivot)(const real *own, const real *open, real w, real sum, f64 pace, f64 c0)
{
  const real slow = pace > 1e30 ? R(0) : reciprocal((real)pace); /* of an endless one a device knows none */
  return sum * slow + (real)c0 + sum + N(gas_radius)(own, open, w);
}

#if DIM == 2
/* Such a row.  Changes across a plane of symmetry are none. */
TEAM(cloud_lusgs, CLOUD_LUSGS, heavy, PAIR)
{
  const i32 a = node[i], m = member[a], wall_point = wall[a];
  NEIGHBOURS(offsets[a] + lane, offsets[a + 1], PARTS(PAIR));
  if (!active[m]) return;
  const real *v     = velocity + 2 * a;
  const real  per_V = reciprocal((real)V[a]);
  real        own[4], to[4], sum = 0, open[2] = {0};
  load4(q + 4 * a, own);
  for (i32 k = 0; k < 4; k++) to[k] = lane ? R(0) : -per_V * res[4 * a + k];
  EACH_NEIGHBOUR(e, b)
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
  const real *unit = wall_point >= 0 ? normal + 2 * wall_point : 0;
  if (unit) along(unit, open);
  const real d = cloud_pivot(own, open, vec_dot(v, open), sum, cfl[m] * pace[a], bdf[3 * m]);
  cloud_solve_row(own, unit, unit ? gap + 2 * wall_point : 0, d, to);
  if (lane == 0) put4(du + 4 * a, to);
}
#else
/* What a sweep reads of a satellite is one sector of a device's memory, as it is of the way to the
 * solution alone: du with 31 bits of fraction (in float32, rounding would part the residuals of two
 * devices by 1e-7 in 50 pseudo-steps; so by 1e-10), velocity and speed of sound with eight.
 *   words 0 to 4   sign, exponent and 23 bits of each du;   word 5 and a byte: the next eight
 *   the other 56 bits: sign, exponent from 2^-15 on and fraction of the waves                     */
HD uint32_t record_bits(real x, uint32_t *rest)
{
  /* less than float32 holds in full counts as nothing; to convert it would stop a CPU, too */
  const uint64_t u = bits_of_f64(fabs((f64)x) < 0x1p-126 ? 0 : (f64)x) + (1u << 20);
  *rest            = (uint32_t)u >> 21 & 0xffu;
  return bits_of((f32)f64_of(u & ~(uint64_t)0x1fffffff));
}

HD real record_number(uint32_t word, uint32_t rest)
{
  return (real)f64_of(bits_of_f64((f64)float_of(word)) | (rest & 0xffu) << 21);
}

HD uint32_t record_wave_bits(real x)
{
  const uint32_t bits = bits_of((f32)(fabs(x) < R(0x1p-16) ? 0 : x)) + (1u << 14);
  const i32      size = (i32)((bits & 0x7fffffffu) >> 15) - (112 << 8);
  return bits >> 31 << 13 | (uint32_t)(size < 0 ? 0 : size > 0x1fff ? 0x1fff : size);
}

HD real record_wave(uint32_t bits)
{
  const uint32_t size = bits & 0x1fffu;
  return size ? (real)float_of((bits & 0x2000u) << 18 | (size + (112u << 8)) << 15) : 0;
}

/* Words 6 and 7 hold the waves, but for a byte. */
HD void record_put_waves(const real *v, real sound, uint32_t *words)
{
  const uint32_t a = record_wave_bits(v[0]), b = record_wave_bits(v[1]), c = record_wave_bits(v[2]);
  words[6] = a << 8 | b << 22;
  words[7] = b >> 10 | c << 4 | record_wave_bits(sound) << 18;
}

HD void record_waves(const uint32_t *words, real *wave)
{
  wave[0] = record_wave(words[6] >> 8 & 0x3fffu);
  wave[1] = record_wave(words[6] >> 22 | (words[7] & 0xfu) << 10);
  wave[2] = record_wave(words[7] >> 4 & 0x3fffu);
  wave[3] = record_wave(words[7] >> 18);
}

HD void record_put(const real *du, uint32_t *words, i32 *to)
{
  uint32_t rest[5];
  for (i32 k = 0; k < 5; k++) words[k] = record_bits(du[k], rest + k);
  words[5] = rest[0] | rest[1] << 8 | rest[2] << 16 | rest[3] << 24;
  words[6] = (words[6] & 0xffffff00u) | rest[4];
  put4_words(to, words), put4_words(to + 4, words + 4);
}

HD void record_du(const uint32_t *words, real *du)
{
  for (i32 k = 0; k < 4; k++) du[k] = record_number(words[k], words[5] >> 8 * k);
  du[4] = record_number(words[4], words[6]);
}

HD void record_load(const i32 *from, uint32_t *words)
{
  load4_words(from, words), load4_words(from + 4, words + 4);
}

/* a_ij and their size for each satellite, and their sums, at a wall along it.  Worked out in every row
 * of every sweep as in the plane, they would keep it waiting, with twice the satellites.        */
TEAM(cloud_shares_3d, CLOUD_SHARES, heavy, PAIR)
{
  const i32 a      = node[i];
  real      sum[3] = {0};
  for (i32 e = offsets[i] + lane; e < offsets[i + 1]; e += PARTS(PAIR)) {
    real d[3], s[3];
    cloud_satellite_3d(x, a, neighbour[e], inverse, d, squared, d, s);
    for (i32 k = 0; k < 3; k++) sum[k] += s[k];
    put4_f32(shares + 4 * e, (f32)s[0], (f32)s[1], (f32)s[2], (f32)sqrt(vec_dot_3d(s, s)));
  }
  for (i32 k = 0; k < 3; k++) sum[k] = together(sum[k], PAIR);
  if (on_plane[i]) along_3d(plane + 3 * member[i], sum);
  if (wall[i] >= 0) along_3d(normal + 3 * wall[i], sum);
  if (lane == 0) put4_f32(open + 4 * a, (f32)sum[0], (f32)sum[1], (f32)sum[2], 0);
}

/* The velocity of a row's point, and along `open`. */
KERNEL(cloud_drift_3d, CLOUD_DRIFT, indirect)
{
  const i32   a = node[i];
  const real *v = velocity + 3 * a;
  real        sum[4];
  load4_f32(open + 4 * a, sum);
  put4_f32(open + 4 * a, (f32)sum[0], (f32)sum[1], (f32)sum[2], (f32)vec_dot_3d(v, sum));
  put4_f32(drift + 4 * i, (f32)v[0], (f32)v[1], (f32)v[2], 0);
}

/* ... and of the flow: what a row is solved for and by, and the records.  Rows of the first colour,
 * which have no earlier one, are solved at once; none of later sweeps looks at their side again. */
KERNEL(cloud_rows_3d, CLOUD_ROWS_3D, indirect)
{
  const i32 m = member[i], row = row_of[i], wall_point = wall[i];
  if (!active[m]) return;
  const real per_V = reciprocal((real)V[i]);
  real       own[5], r[5], rest[4];
  uint32_t   words[8];
  state_load_3d(q + 5 * i, own), state_load_3d(res + 5 * i, r);
  load4_f32(open + 4 * i, rest);
  const real *unit = wall_point >= 0 ? normal + 3 * wall_point : 0;
  const f32   d    = (f32)cloud_pivot_3d(own, rest, rest[3], radius[i], cfl[m] * pace[i], bdf[3 * m]);
  for (i32 k = 0; k < 5; k++) r[k] *= -per_V;
  pivot[row] = d;
  record_put_waves(own + 1, gas_sound_3d(own), words);
  if (row < solved) {
    if (on_plane[row]) along_3d(plane + 3 * m, r + 1);
    cloud_solve_row_3d(own, unit, unit ? gap + 3 * wall_point : 0, d, r);
  } else {
    state_put_3d(rhs + 5 * row, r);
    for (i32 k = 0; k < 5; k++) r[k] = 0;
  }
  record_put(r, words, record + 8 * i);
}

/* Such a row, D du = -res / V - L du - U du with the satellites of earlier (L) and later (U) colours,
 * which lie in that order.  Of both only one has changed since the turn before: turns up take U du as
 * the turn down has left it (part: -U du; before the first one nothing), turns down add what has
 * become of it, so that each looks at one part of the satellites (Conrad and Wallach 1977).  Changes
 * across a plane of symmetry are none.                                                          */
#define CLOUD_SWEEP_3D                                                                                         \
  const i32 a = node[i], m = member[i], wall_point = wall[i], mirrored = on_plane[i], down = turn & 1;         \
  const i32 end = offsets[i + 1], mid = later[i] < 0 ? end : later[i];                                         \
  NEIGHBOURS((down ? mid : offsets[i]) + lane, down ? end : mid, PARTS(PAIR));                                 \
  if (!active[m]) return;                                                                                      \
  const f32 d_row = pivot[i];                                                                                  \
  uint32_t  words[8], other[8];                                                                                \
  real      to[5] = {0}, own[4], v[4];                                                                         \
  record_load(record + 8 * a, words);                                                                          \
  load4_f32(drift + 4 * i, v);                                                                                 \
  KEEP(real, sides, 10, PAIR);                                                                                 \
  if (!down) BRING(sides, 0, 5, PAIR, rhs + 5 * i);                                                            \
  if (turn > 1) BRING(sides, 5, 5, PAIR, part + 5 * i);                                                        \
  BRING_LAST;                                                                                                  \
  record_waves(words, own);                                                                                    \
  EACH_NEIGHBOUR(e, b)                                                                                         \
  {                                                                                                            \
    real d[5], df[5], s[4], there[4];                                                                          \
    record_load(record + 8 * b, other);                                                                        \
    record_du(other, d), record_waves(other, there);                                                           \
    load4_f32(shares + 4 * e, s);                                                                              \
    const real w = vec_dot_3d(v, s);                                                                           \
    const real lambda =                                                                                        \
        R(0.5) * (fabs(vec_dot_3d(own, s) - w) + fabs(vec_dot_3d(there, s) - w) + (own[3] + there[3]) * s[3]); \
    const real H = there[3] * there[3] * GAS_ENERGY + R(0.5) * vec_dot_3d(there, there);                       \
    gas_change_3d(there, H, s, w, d, df);                                                                      \
    for (i32 k = 0; k < 5; k++) to[k] -= df[k] - lambda * d[k];                                                \
  }                                                                                                            \
  for (i32 k = 0; k < 5; k++) to[k] = together(to[k], PAIR);                                                   \
  arrived(PAIR);                                                                                               \
  if (lane) return;                                                                                            \
  real here[5], before[5];                                                                                     \
  if (down && turn + 1 < turns) state_put_3d(part + 5 * i, to);                                                \
  for (i32 k = 0; k < 5; k++) {                                                                                \
    if (turn > 1) to[k] += down ? -KEPT(sides, 5 + k, PAIR) : KEPT(sides, 5 + k, PAIR);                        \
    if (!down) to[k] += KEPT(sides, k, PAIR);                                                                  \
  }                                                                                                            \
  if (mirrored) along_3d(plane + 3 * m, to + 1);                                                               \
  const real *unit = wall_point >= 0 ? normal + 3 * wall_point : 0;                                            \
  if (unit) state_load_3d(q + 5 * a, here);                                                                    \
  cloud_solve_row_3d(here, unit, unit ? gap + 3 * wall_point : 0, d_row, to);                                  \
  if (down) {                                                                                                  \
    record_du(words, before);                                                                                  \
    for (i32 k = 0; k < 5; k++) to[k] += before[k];                                                            \
  }                                                                                                            \
  record_put(to, words, record + 8 * a)
#define BRING_LAST
TEAM(cloud_lusgs_3d, CLOUD_LUSGS_3D, heavy, PAIR)
{
  CLOUD_SWEEP_3D;
}
#undef BRING_LAST

/* The same where a row is solved for the last time, and u += du (state.h), which no row reads: it has
 * the time for it while others wait for their satellites.                                       */
TEAM(cloud_lusgs_last_3d, CLOUD_LUSGS_LAST_3D, heavy, PAIR)
{
  real from[5];
  KEEP(real, state, 5, PAIR);
  KEEP(f64, share, 1, PAIR);
#define BRING_LAST                     \
  BRING(state, 0, 5, PAIR, u + 5 * a); \
  BRING(share, 0, 1, PAIR, pace + a)
  CLOUD_SWEEP_3D;
  for (i32 k = 0; k < 5; k++) from[k] = KEPT(state, k, PAIR);
  update_node_3d(a, to, offsets[i], offsets[i + 1], neighbour, q, most, from, KEPT(share, 0, PAIR), u, pace);
}
#undef BRING_LAST
#endif
