/* gradient.h - gradients of (rho, u, v, p) and their limits at the nodes in the plane (docs/theory.md,
 * section 2.2), in the units of gas.h per chord.                                                  */

/* Inverse of sum w dr dr^T, w = |dr|^-2: the least-squares matrix of a mesh's node. */
KERNEL(least_squares, LEAST_SQUARES, indirect)
{
  f64 sum[NS];
  fit_matrix(i, x, offsets, neighbour, 1, sum);
  fit_invert(sum, inverse + NS * i);
}

/* A node has two lanes of two variables each: fewer repeat the geometry too rarely to pay, more
 * too often.  What a lane knows of its variables: the value, the gradient g[2 k] = dq_k/dx, and the
 * range over the node and its neighbours.                                                       */
#define MINE (2 * WIDTH(2))
struct slope {
  real own[MINE], g[2 * MINE], low[MINE], high[MINE];
};

HD void lane_load(const real *q, const i32 i, const i32 lane, real *to)
{
  for (i32 k = 0; k < MINE; k += 2) load2(q + 4 * i + 2 * lane + k, to + k);
}

/* Least-squares gradient of the lanes' variables among (rho, u, v, p), with weights |dr|^-2 (meshes)
 * or |dr|^-1 (clouds).                                                                          */
HD void node_gradient(const i32 i, const i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour,
                      const real *inverse, const real *q, const i32 squared, struct slope *s)
{
  lane_load(q, i, lane, s->own);
  for (i32 k = 0; k < MINE; k++) {
    s->low[k] = s->high[k] = s->own[k];
    s->g[2 * k] = s->g[2 * k + 1] = 0;
  }
  const struct vec2 at = point(x, i);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32         j  = neighbour[e];
    const struct vec2 to = minus(point(x, j), at);
    const real        dx = (real)to.x, dy = (real)to.y, dd = dx * dx + dy * dy;
    const real        w = squared ? reciprocal(dd) : reciprocal_root(dd);
    real              there[MINE];
    lane_load(q, j, lane, there);
    for (i32 k = 0; k < MINE; k++) {
      const real v = there[k], d = w * (v - s->own[k]);
      s->low[k]  = v < s->low[k] ? v : s->low[k];
      s->high[k] = v > s->high[k] ? v : s->high[k];
      s->g[2 * k] += d * dx;
      s->g[2 * k + 1] += d * dy;
    }
  }
  const real xx = inverse[3 * i], xy = inverse[3 * i + 1], yy = inverse[3 * i + 2];
  for (i32 k = 0; k < MINE; k++) {
    const real bx = s->g[2 * k], by = s->g[2 * k + 1];
    s->g[2 * k]     = xx * bx + xy * by;
    s->g[2 * k + 1] = xy * bx + yy * by;
  }
}

/* The gradient times the smallest limiter of the node's edges, each variable on its own; eps2 is the
 * threshold squared.  Where the limiter is below 1 it falls with the change that the gradient asks
 * for, so the largest change up and the largest one down decide: two divisions per variable instead
 * of one per edge.                                                                              */
HD void node_limit(const i32 i, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *eps2,
                   struct slope *s)
{
  real              up[MINE], down[MINE];
  const struct vec2 at = point(x, i);
  for (i32 k = 0; k < MINE; k++) up[k] = down[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const struct vec2 to = minus(point(x, neighbour[e]), at);
    const real        dx = R(0.5) * (real)to.x, dy = R(0.5) * (real)to.y;
    for (i32 k = 0; k < MINE; k++) {
      const real d = s->g[2 * k] * dx + s->g[2 * k + 1] * dy;
      up[k]        = d > up[k] ? d : up[k];
      down[k]      = d < down[k] ? d : down[k];
    }
  }
  for (i32 k = 0; k < MINE; k++) {
    const real a = limiter_venkatakrishnan(s->high[k] - s->own[k], up[k], eps2[k]);
    const real b = limiter_venkatakrishnan(s->low[k] - s->own[k], down[k], eps2[k]);
    const real y = a < b ? a : b, phi = y < R(1) ? y : R(1);
    s->g[2 * k] *= phi;
    s->g[2 * k + 1] *= phi;
  }
}

HD void node_put(const i32 i, const i32 lane, const struct slope *s, real *grad)
{
  for (i32 k = 0; k < 2 * MINE; k += 4) put4(grad + 8 * i + 4 * lane + k, s->g + k);
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
LANES(ale_gradient, ALE_GRADIENT, busy, 2)
{
  if (!active[member[i]]) return;
  struct slope s;
  node_gradient(i, lane, x, offsets, neighbour, inverse, q, 1, &s);
  node_put(i, lane, &s, grad);
}

/* Threshold squared of Wang's form, K (max - min) over the member (theory eq. 2.4b). */
HD void wang_threshold(const f64 *range, const i32 m, const i32 lane, const real K, real *eps2)
{
  const f64 *r = range + 8 * m + 2 * lane;
  for (i32 k = 0; k < MINE; k++) {
    const real span = K * (real)(r[k] + r[4 + k]);
    eps2[k]         = span * span + R(1e-20); /* a uniform state has no range: limiter is 1 */
  }
}

/* Limited gradient with that threshold. */
#define ALE_GRADIENT_WANG(F)                                    \
  ALE_GRADIENT_FIELDS(F)                                        \
  F(in, f64, range, "members,8") /* from ale_primitive_range */ \
  F(val, real, K, "")                                           \
  F(out, real, grad, "nodes,8")
LANES(ale_gradient_wang, ALE_GRADIENT_WANG, busy, 2)
{
  if (!active[member[i]]) return;
  real         eps2[MINE];
  struct slope s;
  wang_threshold(range, member[i], lane, K, eps2);
  node_gradient(i, lane, x, offsets, neighbour, inverse, q, 1, &s);
  node_limit(i, x, offsets, neighbour, eps2, &s);
  node_put(i, lane, &s, grad);
}

/* Limited gradient with Venkatakrishnan's own threshold (K h)^3, h = sqrt(V) (theory eq. 2.4a). */
#define ALE_GRADIENT_VENKATAKRISHNAN(F) \
  ALE_GRADIENT_FIELDS(F)                \
  F(in, f64, V, "nodes")                \
  F(val, real, K, "")                   \
  F(out, real, grad, "nodes,8")
LANES(ale_gradient_venkatakrishnan, ALE_GRADIENT_VENKATAKRISHNAN, busy, 2)
{
  if (!active[member[i]]) return;
  const real   h = K * sqrt((real)V[i]);
  real         eps2[MINE];
  struct slope s;
  for (i32 k = 0; k < MINE; k++) eps2[k] = h * h * h + R(1e-20);
  node_gradient(i, lane, x, offsets, neighbour, inverse, q, 1, &s);
  node_limit(i, x, offsets, neighbour, eps2, &s);
  node_put(i, lane, &s, grad);
}
