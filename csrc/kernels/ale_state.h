/* ale_state.h - states, gradients and their limits at the nodes (docs/theory.md, section 2).
 * active: members whose pseudo-time has not converged; the others are left as they are.        */

/* Primitive state (rho, u, v, p) from the conserved one; what is not a gas is a fault. */
#define ALE_PRIMITIVE(F)              \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, u, "nodes,4")           \
  F(out, real, q, "nodes,4")          \
  F(inc, u64, faults, "members")
KERNEL(ale_primitive, ALE_PRIMITIVE, indirect)
{
  gas_primitive(u + 4 * i, q + 4 * i);
  if (!active[member[i]]) return;
  if (!(q[4 * i] > 0)) fault(&faults[member[i]], FAULT_DENSITY, i);
  if (!(q[4 * i + 3] > 0)) fault(&faults[member[i]], FAULT_PRESSURE, i);
}

/* Range of each primitive variable over a chunk: (max q, max -q); for Wang's threshold. */
#define ALE_RANGE(F)                     \
  F(in, real, q, "nodes,4")              \
  F(in, i32, offsets, "groups+1>>nodes") \
  F(out, f64, sums, "groups,8")
REDUCE(ale_range, ALE_RANGE, max, 8)
{
  for (i32 k = 0; k < 4; k++) {
    const f64 x = (f64)q[4 * i + k];
    s[k]        = OP_max(s[k], x);
    s[4 + k]    = OP_max(s[4 + k], -x);
  }
}

/* Weighted least-squares gradient of (rho, u, v, p) at a node, g[2 k] = dq_k/dx, and the range of
 * each over the node and its neighbours.                                                        */
HD void node_gradient(const i32 i, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *inverse,
                      const real *q, real *g, real *low, real *high)
{
  real own[4];
  for (i32 k = 0; k < 8; k++) g[k] = 0;
  load4(q + 4 * i, own);
  for (i32 k = 0; k < 4; k++) low[k] = high[k] = own[k];
  const struct vec2 at = point(x, i);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32         j  = neighbour[e];
    const struct vec2 to = minus(point(x, j), at);
    const real        dx = (real)to.x, dy = (real)to.y, w = R(1) / (dx * dx + dy * dy);
    real              there[4];
    load4(q + 4 * j, there);
    for (i32 k = 0; k < 4; k++) {
      const real v = there[k], d = w * (v - own[k]);
      low[k]  = v < low[k] ? v : low[k];
      high[k] = v > high[k] ? v : high[k];
      g[2 * k] += d * dx;
      g[2 * k + 1] += d * dy;
    }
  }
  const real xx = inverse[3 * i], xy = inverse[3 * i + 1], yy = inverse[3 * i + 2];
  for (i32 k = 0; k < 4; k++) {
    const real bx = g[2 * k], by = g[2 * k + 1];
    g[2 * k]     = xx * bx + xy * by;
    g[2 * k + 1] = xy * bx + yy * by;
  }
}

/* Smallest limiter of a node's edges, each variable on its own; eps2 is the threshold squared.
 * Where the limiter is below 1 it falls with the change that the gradient asks for, so the largest
 * change up and the largest one down decide: two divisions per variable instead of one per edge. */
HD void node_limiter(const i32 i, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *q, const real *g,
                     const real *low, const real *high, const real *eps2, real *phi)
{
  real              up[4] = {0, 0, 0, 0}, down[4] = {0, 0, 0, 0};
  const struct vec2 at = point(x, i);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const struct vec2 to = minus(point(x, neighbour[e]), at);
    const real        dx = R(0.5) * (real)to.x, dy = R(0.5) * (real)to.y;
    for (i32 k = 0; k < 4; k++) {
      const real d = g[2 * k] * dx + g[2 * k + 1] * dy;
      up[k]        = d > up[k] ? d : up[k];
      down[k]      = d < down[k] ? d : down[k];
    }
  }
  for (i32 k = 0; k < 4; k++) {
    const real own = q[4 * i + k];
    const real a   = limiter_venkatakrishnan(high[k] - own, up[k], eps2[k]);
    const real b   = limiter_venkatakrishnan(low[k] - own, down[k], eps2[k]);
    const real y   = a < b ? a : b;
    phi[k]         = y < R(1) ? y : R(1);
  }
}

#define ALE_GRADIENT_FIELDS(F)            \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, f64, x, "nodes,2")                \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, inverse, "nodes,3")         \
  F(in, real, q, "nodes,4")
#define ALE_GRADIENT(F) ALE_GRADIENT_FIELDS(F) F(out, real, grad, "nodes,8")
KERNEL(ale_gradient, ALE_GRADIENT, heavy)
{
  if (!active[member[i]]) return;
  real low[4], high[4];
  node_gradient(i, x, offsets, neighbour, inverse, q, grad + 8 * i, low, high);
}

/* Limited gradient; threshold K (max - min) over the member: Wang's form (theory eq. 2.4b). */
#define ALE_GRADIENT_WANG(F)                          \
  ALE_GRADIENT_FIELDS(F)                              \
  F(in, f64, range, "members,8") /* from ale_range */ \
  F(val, real, K, "")                                 \
  F(out, real, grad, "nodes,8")
KERNEL(ale_gradient_wang, ALE_GRADIENT_WANG, heavy)
{
  if (!active[member[i]]) return;
  const f64 *r = range + 8 * member[i];
  real       g[8], low[4], high[4], eps2[4], phi[4];
  for (i32 k = 0; k < 4; k++) {
    const real span = K * (real)(r[k] + r[4 + k]);
    eps2[k]         = span * span + R(1e-20); /* a uniform state has no range: limiter is 1 */
  }
  node_gradient(i, x, offsets, neighbour, inverse, q, g, low, high);
  node_limiter(i, x, offsets, neighbour, q, g, low, high, eps2, phi);
  for (i32 k = 0; k < 8; k++) g[k] *= phi[k / 2];
  put4(grad + 8 * i, g);
  put4(grad + 8 * i + 4, g + 4);
}

/* The same with Venkatakrishnan's own threshold (K h)^3, h = sqrt(V) (theory eq. 2.4a). */
#define ALE_GRADIENT_VENKATAKRISHNAN(F) \
  ALE_GRADIENT_FIELDS(F)                \
  F(in, f64, V, "nodes")                \
  F(val, real, K, "")                   \
  F(out, real, grad, "nodes,8")
KERNEL(ale_gradient_venkatakrishnan, ALE_GRADIENT_VENKATAKRISHNAN, heavy)
{
  if (!active[member[i]]) return;
  const real h = K * sqrt((real)V[i]), e = h * h * h + R(1e-20);
  const real eps2[4] = {e, e, e, e};
  real       g[8], low[4], high[4], phi[4];
  node_gradient(i, x, offsets, neighbour, inverse, q, g, low, high);
  node_limiter(i, x, offsets, neighbour, q, g, low, high, eps2, phi);
  for (i32 k = 0; k < 8; k++) g[k] *= phi[k / 2];
  put4(grad + 8 * i, g);
  put4(grad + 8 * i + 4, g + 4);
}
