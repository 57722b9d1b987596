/* exchange.h - what overset grids take from one another (docs/overset.md): values at nodes that are not solved
 * for, from the corners of a cell of another part.  status: as of names.h. */

/* What follows from the status of a node: whether its velocity is given (momentum), whether its dual is left
 * open (pressure), and how much its faces trust their memory. */
#define OVERSET_ROWS(F)                                                 \
  F(in, i32, status, "nodes")                                           \
  F(in, i32, other, "nodes") /* in a cell of another part with walls */ \
  F(in, i32, fixed, "nodes") /* velocity given by the boundary */       \
  F(in, i32, open, "nodes")                                             \
  F(in, real, bound, "nodes") /* trust without other bodies */          \
  F(out, i32, given, "nodes")                                           \
  F(out, i32, loose, "nodes")                                           \
  F(out, real, trust, "nodes")
KERNEL(overset_rows, OVERSET_ROWS, direct)
{
  given[i] = fixed[i] || status[i] != FIELD;
  loose[i] = open[i] || status[i] != FIELD;
  trust[i] = other[i] ? 0 : bound[i];
}

#define EXCHANGE(F)                   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, i32, status, "nodes")         \
  F(in, i32, donor, "nodes,4>nodes")  \
  F(in, f64, weight, "nodes,4")       \
  F(near, f64, x, "nodes," STR(DIM))

/* sum of w_k (a_k + half of its gradient along the way from the donor): exact for quadratic fields where the
 * gradients are (docs/overset.md).  Hidden nodes take values alone. */
HD f64 N(exchange_slope)(const f64 *x, i32 i, i32 k, const real *g)
{
  f64 sum = 0;
  for (i32 d = 0; d < DIM; d++) sum += (x[DIM * i + d] - x[DIM * k + d]) * (f64)g[d];
  return 0.5 * sum;
}

#define EXCHANGE_VECTOR(F)                  \
  EXCHANGE(F)                               \
  F(near, real, u, "nodes," STR(DIM))       \
  F(opt_near, real, grad, "nodes," STR(ND)) \
  F(upd, real, next, "nodes," STR(DIM))
KERNEL(N(exchange_vector), EXCHANGE_VECTOR, indirect)
{
  if (!active[member[i]] || status[i] == FIELD) return;
  f64 sum[DIM] = {0};
  for (i32 c = 0; c < 4; c++) {
    const i32 k = donor[4 * i + c];
    for (i32 d = 0; d < DIM; d++) {
      f64 own = (f64)u[DIM * k + d];
      if (grad && status[i] == RECEPTOR) own += N(exchange_slope)(x, i, k, grad + ND * k + DIM * d);
      sum[d] += weight[4 * i + c] * own;
    }
  }
  for (i32 d = 0; d < DIM; d++) next[DIM * i + d] = (real)sum[d];
}

#define EXCHANGE_PRESSURE(F)                 \
  EXCHANGE(F)                                \
  F(near, f64, p, "nodes")                   \
  F(opt_near, real, push, "nodes," STR(DIM)) \
  F(upd, f64, next, "nodes")
KERNEL(N(exchange_pressure), EXCHANGE_PRESSURE, indirect)
{
  if (!active[member[i]] || status[i] == FIELD) return;
  f64 sum = 0;
  for (i32 c = 0; c < 4; c++) {
    const i32 k   = donor[4 * i + c];
    f64       own = p[k];
    if (push && status[i] == RECEPTOR) own += N(exchange_slope)(x, i, k, push + DIM * k);
    sum += weight[4 * i + c] * own;
  }
  next[i] = sum;
}

/* Donors may be receptors themselves, so values are taken up once all are known. */
#define EXCHANGE_TAKE(F)              \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, i32, status, "nodes")
#define EXCHANGE_TAKE_VECTOR(F)        \
  EXCHANGE_TAKE(F)                     \
  F(in, real, next, "nodes," STR(DIM)) \
  F(rw, real, u, "nodes," STR(DIM))
KERNEL(N(exchange_take_vector), EXCHANGE_TAKE_VECTOR, indirect)
{
  if (!active[member[i]] || status[i] == FIELD) return;
  for (i32 k = DIM * i; k < DIM * (i + 1); k++) u[k] = next[k];
}

#define EXCHANGE_TAKE_PRESSURE(F) \
  EXCHANGE_TAKE(F)                \
  F(in, f64, next, "nodes")       \
  F(rw, f64, p, "nodes")
KERNEL(exchange_take_pressure, EXCHANGE_TAKE_PRESSURE, indirect)
{
  if (active[member[i]] && status[i] != FIELD) p[i] = next[i];
}

/* Of each member without an open boundary, over field nodes: the mean of p + phi, and what the duals leave over
 * per volume, which phi's own mean tells (composite.h). */
#define OVERSET_LEVEL(F)         \
  F(in, f64, change, "nodes,1")  \
  F(in, f64, p, "nodes")         \
  F(in, f64, V, "nodes")         \
  F(in, i32, status, "nodes")    \
  F(in, i32, active, "members")  \
  F(in, f64, stiff, "members")   \
  F(in, f64, bdf, "members,3")   \
  TOTALS(F, "nodes")             \
  F(upd, f64, parts, "groups,3") \
  F(rw, f64, mean, "members")    \
  F(rw, f64, defect, "members")
TOTAL(overset_level, OVERSET_LEVEL, sum, 3, active[m])
{
  if (status[i] != FIELD) return;
  s[0] += V[i] * change[i];
  s[1] += V[i] * p[i];
  s[2] += V[i];
}
OF_MEMBER(overset_level, OVERSET_LEVEL)
{
  if (!(stiff[m] > 0)) return;
  mean[m]   = (s[0] + s[1]) / s[2];
  defect[m] = -stiff[m] * s[0] / bdf[3 * m];
}

/* What flows out through the outer boundary, its duals being closed [U chord]; net: through their edges. */
#define OVERSET_LEAK(F)          \
  F(in, f64, net, "nodes")       \
  F(in, i32, outer, "nodes")     \
  F(in, i32, active, "members")  \
  TOTALS(F, "nodes")             \
  F(upd, f64, parts, "groups,1") \
  F(out, f64, leak, "members")
TOTAL(overset_leak, OVERSET_LEAK, sum, 1, active[m])
{
  if (outer[i]) s[0] -= net[i];
}
OF_MEMBER(overset_leak, OVERSET_LEAK)
{
  leak[m] = s[0];
}
