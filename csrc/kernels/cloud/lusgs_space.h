/* lusgs_space.h - LU-SGS by colours on a cloud in space (lusgs.h): tables of coefficients, records of what
 * satellites ask of a point (record.h), and the sweeps over rows.  a_ij [1 / chord], else as lusgs.h.
 * Rows in their own order, that of their colours, with all that they read once: a point of one colour
 * has none of its kind beside it in memory, and its numbers would bring those of others along.  */

#define CLOUD_LINKS(F)                 \
  F(in, i32, node, "rows>nodes!")      \
  F(in, i32, member, "rows>members")   \
  F(in, i32, offsets, "rows+1>>links") \
  F(in, i32, neighbour, "links>nodes") \
  F(in, i32, on_plane, "rows")         \
  F(in, real, plane, "members,3")

/* a_ij and their size for each satellite, and their sums, at a wall along it.  Worked out in every row
 * of every sweep as in the plane, they would keep it waiting, with twice the satellites.        */
#define CLOUD_SHARES(F)                             \
  CLOUD_LINKS(F)                                    \
  F(in, i32, wall, "rows>bnodes?")                  \
  F(in, real, normal, "bnodes,3")                   \
  F(near, f64, x, "nodes,3")                        \
  F(in, real, inverse, "nodes,6")                   \
  F(val, i32, squared, "")                          \
  F(out, f32, shares, "links,4") /* a_ij, |a_ij| */ \
  F(out, f32, open, "nodes,4")   /* sum of a_ij */
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
#define CLOUD_DRIFT(F)             \
  F(in, i32, node, "rows>nodes!")  \
  F(in, real, velocity, "nodes,3") \
  F(rw, f32, open, "nodes,4")      \
  F(out, f32, drift, "rows,4")
KERNEL(cloud_drift_3d, CLOUD_DRIFT, indirect)
{
  const i32   a = node[i];
  const real *v = velocity + 3 * a;
  real        sum[4];
  load4_f32(open + 4 * a, sum);
  put4_f32(open + 4 * a, (f32)sum[0], (f32)sum[1], (f32)sum[2], (f32)vec_dot_3d(v, sum));
  put4_f32(drift + 4 * i, (f32)v[0], (f32)v[1], (f32)v[2], 0);
}

/* What a row is solved for and by, and the records.  Rows of the first colour,
 * which have no earlier one, are solved at once; none of later sweeps looks at their side again. */
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
  record_put_waves(own + VELOCITY, gas_sound_3d(own), words);
  if (row < solved) {
    if (on_plane[row]) along_3d(plane + 3 * m, r + MOMENTUM);
    cloud_solve_row_3d(own, unit, unit ? gap + 3 * wall_point : 0, d, r);
  } else {
    state_put_3d(rhs + 5 * row, r);
    for (i32 k = 0; k < 5; k++) r[k] = 0;
  }
  record_put(r, words, record + 8 * i);
}

/* What the satellite of a record adds to a row's sums: own are the waves of the row's point, v its
 * velocity, s the share. */
HD void cloud_sweep_add_3d(const i32 *record, const real *s, const real *own, const real *v, real *to)
{
  uint32_t words[8];
  real     d[5], df[5], there[4];
  record_load(record, words);
  record_du(words, d), record_waves(words, there);
  const real w = vec_dot_3d(v, s);
  const real lambda =
      R(0.5) * (fabs(vec_dot_3d(own, s) - w) + fabs(vec_dot_3d(there, s) - w) + (own[3] + there[3]) * s[3]);
  const real H = there[3] * there[3] * GAS_ENERGY + R(0.5) * vec_dot_3d(there, there);
  gas_change_3d(there, H, s, w, d, df);
  for (i32 k = 0; k < 5; k++) to[k] -= df[k] - lambda * d[k];
}

/* A row D du = -res / V - L du - U du with the satellites of earlier (L) and later (U) colours,
 * which lie in that order.  Of both only one has changed since the turn before: turns up take U du as
 * the turn down has left it (part: -U du; before the first one nothing), turns down add what has
 * become of it, so that each looks at one part of the satellites (Conrad and Wallach 1977).  Changes
 * across a plane of symmetry are none.  Gives 1 to the lane that has solved the row, its du in `to`. */
#define CLOUD_LUSGS_OF(F, mode)                                  \
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
  F(mode, real, q, "nodes,5") /* near where u is updated */      \
  F(val, i32, turn, "")                                          \
  F(val, i32, turns, "")                                         \
  F(rw, real, part, "rows,5")                                    \
  F(upd, i32, record, "nodes,8")
#define CLOUD_LUSGS_3D(F) CLOUD_LUSGS_OF(F, in)
HD i32 cloud_sweep_3d(const i32 i, const i32 lane, real *to CLOUD_LUSGS_3D(PARAM))
{
  const i32 a = node[i], m = member[i], wall_point = wall[i], mirrored = on_plane[i], down = turn & 1;
  const i32 end = offsets[i + 1], mid = later[i] < 0 ? end : later[i];
  NEIGHBOURS((down ? mid : offsets[i]) + lane, down ? end : mid, PARTS(PAIR));
  if (!active[m]) return 0;
  const f32 d_row = pivot[i];
  uint32_t  words[8];
  real      own[4], v[4], here[5], before[5];
  record_load(record + 8 * a, words);
  load4_f32(drift + 4 * i, v);
  record_waves(words, own);
  for (i32 k = 0; k < 5; k++) to[k] = 0;
  EACH_NEIGHBOUR(e, b)
  {
    real s[4];
    load4_f32(shares + 4 * e, s);
    cloud_sweep_add_3d(record + 8 * b, s, own, v, to);
  }
  for (i32 k = 0; k < 5; k++) to[k] = together(to[k], PAIR);
  if (lane) return 0;
  for (i32 k = 0; k < 5; k++) {
    const real half = to[k];
    if (turn > 1) to[k] += down ? -part[5 * i + k] : part[5 * i + k];
    if (!down) to[k] += rhs[5 * i + k];
    if (down && turn + 1 < turns) part[5 * i + k] = half;
  }
  if (mirrored) along_3d(plane + 3 * m, to + MOMENTUM);
  const real *unit = wall_point >= 0 ? normal + 3 * wall_point : 0;
  if (unit) state_load_3d(q + 5 * a, here);
  cloud_solve_row_3d(here, unit, unit ? gap + 3 * wall_point : 0, d_row, to);
  if (down) {
    record_du(words, before);
    for (i32 k = 0; k < 5; k++) to[k] += before[k];
  }
  record_put(to, words, record + 8 * a);
  return 1;
}

TEAM(cloud_lusgs_3d, CLOUD_LUSGS_3D, heavy, PAIR)
{
  real to[5];
  cloud_sweep_3d(i, lane, to CLOUD_LUSGS_3D(NAME));
}

/* Where a row is solved for the last time, u += du (flow/update.h), which no row reads: it has the time
 * for it while others wait for their satellites.                                                */
#define CLOUD_LUSGS_LAST_3D(F) \
  CLOUD_LUSGS_OF(F, near)      \
  F(val, real, most, "")       \
  F(rw, real, u, "nodes,5")    \
  F(rw, f64, pace, "nodes")
TEAM(cloud_lusgs_last_3d, CLOUD_LUSGS_LAST_3D, heavy, PAIR)
{
  const i32 a = node[i];
  real      from[5], to[5];
  if (!cloud_sweep_3d(i, lane, to CLOUD_LUSGS_3D(NAME))) return;
  state_load_3d(u + 5 * a, from);
  update_node_3d(a, to, offsets[i], offsets[i + 1], neighbour, q, most, from, pace[a], u, pace);
}
