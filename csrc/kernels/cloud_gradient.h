/* cloud_gradient.h - gradients on clouds: by least squares with a thread per point (in the plane see
 * ale_gradient.h), averaged over satellites, limited; once per dimension.                        */
#ifndef CLOUD_GRADIENT_ONCE
#define CLOUD_GRADIENT_ONCE
#define CLOUD_GRADIENT_3D(F)      \
  NODE_GRAPH(F)                   \
  F(in, f64, x, "nodes,3")        \
  F(in, real, inverse, "nodes,6") \
  F(in, real, q, "nodes,5")       \
  F(val, i32, squared, "")        \
  F(out, real, grad, "nodes,15")
#define CLOUD_SMOOTH(F)              \
  NODE_GRAPH(F)                      \
  F(in, real, raw, "nodes," STR(NG)) \
  F(out, real, grad, "nodes," STR(NG))
#define CLOUD_LIMITED(F)                                          \
  F(in, f64, range, "members," STR(NR)) /* from ale_range of q */ \
  F(val, real, K, "")
#define CLOUD_GRADIENT_WANG_3D(F) CLOUD_GRADIENT_3D(F) CLOUD_LIMITED(F)
#define CLOUD_SMOOTH_WANG(F)       \
  CLOUD_SMOOTH(F)                  \
  F(in, f64, x, "nodes," STR(DIM)) \
  F(in, real, q, "nodes," STR(NV)) \
  CLOUD_LIMITED(F)
#endif

/* A point has a lane for each variable: the threads of a device then read a satellite's numbers side
 * by side.  Gradients g of the lanes' variables limited by Wang's form, threshold K (max - min) over
 * the member (theory eq. 2.4b), with the largest changes that they ask for up and down.         */
HD void N(cloud_limit)(i32 i, i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *q,
                       const f64 *r, real K, const real *g, real *to)
{
  real        low[WIDTH(NV)], high[WIDTH(NV)], up[WIDTH(NV)], down[WIDTH(NV)];
  const real *own = q + NV * i + lane;
  for (i32 k = 0; k < WIDTH(NV); k++) low[k] = high[k] = own[k], up[k] = down[k] = 0;
  ENTRIES(i, 0, 1, e, j)
  {
    const real *there = q + NV * j + lane;
    real        d[DIM];
    N(fit_apart)(x, i, j, d);
    for (i32 k = 0; k < WIDTH(NV); k++) {
      const real ask = R(0.5) * N(vec_dot)(g + DIM * k, d);
      low[k] = smaller(low[k], there[k]), high[k] = larger(high[k], there[k]);
      up[k] = larger(up[k], ask), down[k] = smaller(down[k], ask);
    }
  }
  for (i32 k = 0; k < WIDTH(NV); k++) {
    const real span = K * (real)(r[lane + k] + r[NV + lane + k]), eps2 = span * span + R(1e-20);
    const real a = limiter_venkatakrishnan(high[k] - own[k], up[k], eps2);
    const real b = limiter_venkatakrishnan(low[k] - own[k], down[k], eps2), phi = smaller(smaller(a, b), R(1));
    for (i32 l = 0; l < DIM; l++) to[DIM * k + l] = phi * g[DIM * k + l];
  }
}

/* The mean of a point's gradients and its satellites'.  With upwind fluxes of second order the
 * gradients of the nearest satellites alone let some changes grow on clouds without order: the mean
 * looks farther, and stays exact for linear fields.                                             */
HD void N(cloud_mean)(i32 i, i32 lane, const i32 *offsets, const i32 *neighbour, const real *raw, real *g)
{
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) g[k] = raw[NG * i + DIM * lane + k];
  ENTRIES(i, 0, 1, e, j)
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) g[k] += raw[NG * j + DIM * lane + k];
  const real per = R(1) / (real)(1 + offsets[i + 1] - offsets[i]);
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) g[k] *= per;
}

LANES(N(cloud_smooth), CLOUD_SMOOTH, busy, NV)
{
  if (!active[member[i]]) return;
  real g[DIM * WIDTH(NV)];
  N(cloud_mean)(i, lane, offsets, neighbour, raw, g);
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) grad[NG * i + DIM * lane + k] = g[k];
}

LANES(N(cloud_smooth_wang), CLOUD_SMOOTH_WANG, busy, NV)
{
  if (!active[member[i]]) return;
  real g[DIM * WIDTH(NV)];
  N(cloud_mean)(i, lane, offsets, neighbour, raw, g);
  N(cloud_limit)(i, lane, x, offsets, neighbour, q, range + NR * member[i], K, g, grad + NG * i + DIM * lane);
}

#if DIM == 3
/* Weighted least-squares gradients of the lanes' variables among (rho, u, v, w, p). */
HD void gradient_3d(i32 i, i32 lane, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *inverse,
                    const real *q, i32 squared, real *g)
{
  const real *own = q + 5 * i + lane;
  for (i32 k = 0; k < 3 * WIDTH(5); k++) g[k] = 0;
  ENTRIES(i, 0, 1, e, j)
  {
    const real *there = q + 5 * j + lane;
    real        d[3];
    fit_apart_3d(x, i, j, d);
    const real w = fit_weight_3d(d, squared);
    for (i32 k = 0; k < WIDTH(5); k++) {
      const real up = w * (there[k] - own[k]);
      for (i32 l = 0; l < 3; l++) g[3 * k + l] += up * d[l];
    }
  }
  for (i32 k = 0; k < WIDTH(5); k++) {
    const real b[3] = {g[3 * k], g[3 * k + 1], g[3 * k + 2]};
    fit_apply_3d(inverse + 6 * i, b, g + 3 * k);
  }
}

LANES(cloud_gradient_3d, CLOUD_GRADIENT_3D, busy, 5)
{
  if (!active[member[i]]) return;
  real g[3 * WIDTH(5)];
  gradient_3d(i, lane, x, offsets, neighbour, inverse, q, squared, g);
  for (i32 k = 0; k < 3 * WIDTH(5); k++) grad[15 * i + 3 * lane + k] = g[k];
}

LANES(cloud_gradient_wang_3d, CLOUD_GRADIENT_WANG_3D, busy, 5)
{
  if (!active[member[i]]) return;
  real g[3 * WIDTH(5)];
  gradient_3d(i, lane, x, offsets, neighbour, inverse, q, squared, g);
  cloud_limit_3d(i, lane, x, offsets, neighbour, q, range + 10 * member[i], K, g, grad + 15 * i + 3 * lane);
}
#endif
