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

/* Variables `lane` to `lane + width - 1` of a point.  On a device a point has a lane for each, so that
 * threads read a satellite's numbers side by side, or where there is much to work out of the places
 * one thread for all; on a host all are one vector.                                             */
HD void N(cloud_variables)(const real *q, i32 j, i32 lane, i32 width, real *to)
{
  if (width == NV) {
    N(state_load)(q + NV * j, to);
    return;
  }
  for (i32 k = 0; k < width; k++) to[k] = q[NV * j + lane + k];
}

/* Gradients g of such variables limited by Wang's form, threshold K (max - min) over the member
 * (theory eq. 2.4b), with the largest changes that they ask for up and down.                    */
HD void N(cloud_limit)(i32 i, i32 lane, i32 width, const f64 *x, const i32 *offsets, const i32 *neighbour,
                       const real *q, const f64 *r, real K, real *g)
{
  real own[NV], low[NV], high[NV], up[NV], down[NV];
  N(cloud_variables)(q, i, lane, width, own);
  for (i32 k = 0; k < width; k++) low[k] = high[k] = own[k], up[k] = down[k] = 0;
  ENTRIES(i, 0, 1, e, j)
  {
    real there[NV], d[DIM];
    N(cloud_variables)(q, j, lane, width, there);
    N(fit_apart)(x, i, j, d);
    for (i32 k = 0; k < width; k++) {
      const real ask = R(0.5) * N(vec_dot)(g + DIM * k, d);
      low[k] = smaller(low[k], there[k]), high[k] = larger(high[k], there[k]);
      up[k] = larger(up[k], ask), down[k] = smaller(down[k], ask);
    }
  }
  for (i32 k = 0; k < width; k++) {
    const real span = K * (real)(r[lane + k] + r[NV + lane + k]), eps2 = span * span + R(1e-20);
    const real a = limiter_venkatakrishnan(high[k] - own[k], up[k], eps2);
    const real b = limiter_venkatakrishnan(low[k] - own[k], down[k], eps2), phi = smaller(smaller(a, b), R(1));
    for (i32 l = 0; l < DIM; l++) g[DIM * k + l] *= phi;
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

HD void N(cloud_put_lanes)(i32 i, i32 lane, const real *g, real *grad)
{
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) grad[NG * i + DIM * lane + k] = g[k];
}

LANES(N(cloud_smooth), CLOUD_SMOOTH, busy, NV)
{
  if (!active[member[i]]) return;
  real g[NG];
  N(cloud_mean)(i, lane, offsets, neighbour, raw, g);
  N(cloud_put_lanes)(i, lane, g, grad);
}

LANES(N(cloud_smooth_wang), CLOUD_SMOOTH_WANG, busy, NV)
{
  if (!active[member[i]]) return;
  real g[NG];
  N(cloud_mean)(i, lane, offsets, neighbour, raw, g);
  N(cloud_limit)(i, lane, WIDTH(NV), x, offsets, neighbour, q, range + NR * member[i], K, g);
  N(cloud_put_lanes)(i, lane, g, grad);
}

#if DIM == 3
/* Weighted least-squares gradients of such variables among (rho, u, v, w, p). */
HD void gradient_3d(i32 i, i32 lane, i32 width, const f64 *x, const i32 *offsets, const i32 *neighbour,
                    const real *inverse, const real *q, i32 squared, real *g)
{
  real own[5];
  cloud_variables_3d(q, i, lane, width, own);
  for (i32 k = 0; k < 3 * width; k++) g[k] = 0;
  ENTRIES(i, 0, 1, e, j)
  {
    real there[5], d[3];
    cloud_variables_3d(q, j, lane, width, there);
    fit_apart_3d(x, i, j, d);
    const real w = fit_weight_3d(d, squared);
    for (i32 k = 0; k < width; k++) {
      const real up = w * (there[k] - own[k]);
      for (i32 l = 0; l < 3; l++) g[3 * k + l] += up * d[l];
    }
  }
  for (i32 k = 0; k < width; k++) {
    const real b[3] = {g[3 * k], g[3 * k + 1], g[3 * k + 2]};
    fit_apply_3d(inverse + 6 * i, b, g + 3 * k);
  }
}

LANES(cloud_gradient_3d, CLOUD_GRADIENT_3D, busy, 5)
{
  if (!active[member[i]]) return;
  real g[15];
  gradient_3d(i, lane, WIDTH(5), x, offsets, neighbour, inverse, q, squared, g);
  cloud_put_lanes_3d(i, lane, g, grad);
}

KERNEL(cloud_gradient_wang_3d, CLOUD_GRADIENT_WANG_3D, wide)
{
  if (!active[member[i]]) return;
  real g[15];
  gradient_3d(i, 0, 5, x, offsets, neighbour, inverse, q, squared, g);
  cloud_limit_3d(i, 0, 5, x, offsets, neighbour, q, range + 10 * member[i], K, g);
  slope_put_3d(grad + 15 * i, g);
}
#endif
