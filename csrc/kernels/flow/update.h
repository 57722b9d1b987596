/* update.h - the step of pseudo-time, once per dimension: u += du.  u and du in the units of gas.h; pace:
 * the share of the CFL number that a node takes.                                                 */

/* Share of a change d of the conserved state `from` that leaves density and pressure within `most` of
 * what they are; own: its primitive state.                                                      */
HD real N(update_share)(const real *from, const real *own, const real *d, real most)
{
  real p[NV], to[NV], qa[NV], dp = 0;
  N(gas_pressure_row)(own, p);
  for (i32 k = 0; k < NV; k++) dp += p[k] * d[k];
  const real change = larger(fabs(d[DENSITY]) * reciprocal(own[DENSITY]), fabs(dp) * reciprocal(own[PRESSURE]));
  real       share  = change > most ? most * reciprocal(change) : R(1);
  for (i32 t = 0; t < 10; t++) { /* pressure is not linear in u: look at what would come out */
    for (i32 k = 0; k < NV; k++) to[k] = from[k] + share * d[k];
    N(gas_primitive)(to, qa);
    if (qa[PRESSURE] >= (R(1) - R(2) * most) * own[PRESSURE]) break;
    share *= R(0.5);
  }
  return share;
}

/* A change of density or pressure beyond `most` of itself scales the node's update down to
 * it, the usual guard of implicit start-ups, and halves the share of the CFL number that the node
 * takes; nodes that need no scaling win it back.  A node that has been scaled six times running is
 * caught near vacuum, where the start of a fine mesh can leave single nodes at the nose for ever: it
 * takes the mean state of its neighbours and goes on from there.                                */
HD void N(update_node)(i32 a, const real *d, i32 first, i32 end, const i32 *neighbour, const real *q, real most,
                       const real *from, f64 before, real *u, f64 *pace)
{
  real own[NV], to[NV], qa[NV];
  N(gas_primitive)(from, own);
  const real share = N(update_share)(from, own, d, most);
  const f64  now   = share < R(1) ? 0.5 * before : before < 1 / 1.5 ? 1.5 * before : 1;
  pace[a]          = now;
  if (now > 0.02) {
    for (i32 k = 0; k < NV; k++) to[k] = from[k] + share * d[k];
    N(state_put)(u + NV * a, to);
    return;
  }
  const real per = R(1) / (real)(end - first);
  for (i32 k = 0; k < NV; k++) qa[k] = 0;
  for (i32 e = first; e < end; e++)
    for (i32 k = 0; k < NV; k++) qa[k] += per * q[NV * neighbour[e] + k];
  N(gas_conserved)(qa, u + NV * a);
  pace[a] = 0.25;
}

/* By rows; without `node` a row is the node of its number. */
#define STATE_UPDATE(F)                   \
  F(opt, i32, node, "rows>nodes!")        \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, active, "members")           \
  F(in, real, du, "rows," STR(NV))        \
  F(near, real, q, "nodes," STR(NV))      \
  F(val, real, most, "")                  \
  F(rw, real, u, "nodes," STR(NV))        \
  F(rw, f64, pace, "nodes")
KERNEL(N(state_update), STATE_UPDATE, indirect)
{
  const i32 a = node ? node[i] : i, m = member[a];
  const f64 before = pace[a];
  real      d[NV], from[NV];
  N(state_load)(du + NV * i, d), N(state_load)(u + NV * a, from);
  if (!active[m]) return;
  N(update_node)(a, d, offsets[a], offsets[a + 1], neighbour, q, most, from, before, u, pace);
}

/* State to begin a physical step from: that of the polynomial through the last ones, w1 u1 + w2 u2 +
 * w3 u3 with weights that add up to 1.  A node that would change density or pressure by more than
 * `most` of itself, as where a shock goes by, changes by less.  A member whose residual is nothing
 * stays as it is: no pseudo-step would take back what rounding has made of the polynomial.      */
#define STATE_PREDICT(F)              \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, f64, base, "members")         \
  F(in, f64, floor, "members")        \
  F(in, f64, weights, "3")            \
  F(in, real, u1, "nodes," STR(NV))   \
  F(in, real, u2, "nodes," STR(NV))   \
  F(in, real, u3, "nodes," STR(NV))   \
  F(val, real, most, "")              \
  F(rw, real, u, "nodes," STR(NV))
KERNEL(N(state_predict), STATE_PREDICT, indirect)
{
  real from[NV], own[NV], d[NV], to[NV];
  N(state_load)(u1 + NV * i, from);
  for (i32 k = 0; k < NV; k++) {
    const f64 a = (f64)u2[NV * i + k], b = (f64)u3[NV * i + k];
    d[k] = (real)((weights[0] - 1) * (f64)from[k] + weights[1] * a + weights[2] * b);
  }
  const i32 m = member[i];
  if (!active[m] || base[m] <= floor[m]) return;
  N(gas_primitive)(from, own);
  const real share = N(update_share)(from, own, d, most);
  for (i32 k = 0; k < NV; k++) to[k] = from[k] + share * d[k];
  N(state_put)(u + NV * i, to);
}
