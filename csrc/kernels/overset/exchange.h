/* exchange.h - what overset grids take from one another (docs/overset.md): values at nodes that are not solved
 * for, from the corners of a cell of another part; once per dimension.  status: as of names.h. */

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
