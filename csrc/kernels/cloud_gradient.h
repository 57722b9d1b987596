/* cloud_gradient.h - gradients on clouds: by least squares with a thread per point (in the plane see
 * ale_gradient.h), averaged over satellites, limited; once per dimension.                        */
#ifndef CLOUD_GRADIENT_ONCE
#define CLOUD_GRADIENT_ONCE
#define CLOUD_GRADIENT_FIELDS(F)          \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")
#define CLOUD_GRADIENT_3D(F)      \
  CLOUD_GRADIENT_FIELDS(F)        \
  F(in, f64, x, "nodes,3")        \
  F(in, real, inverse, "nodes,6") \
  F(in, real, q, "nodes,5")       \
  F(val, i32, squared, "")        \
  F(out, real, grad, "nodes,15")
#define CLOUD_SMOOTH(F)              \
  CLOUD_GRADIENT_FIELDS(F)           \
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

/* Gradients g of a point limited by Wang's form, threshold K (max - min) over the member (theory eq.
 * 2.4b), with the largest changes that they ask for up and down.                                */
HD void N(cloud_limit)(i32 i, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *q, const f64 *r,
                       real K, const real *g, real *to)
{
  real own[NV], low[NV], high[NV], up[NV], down[NV];
  N(state_load)(q + NV * i, own);
  for (i32 k = 0; k < NV; k++) low[k] = high[k] = own[k], up[k] = down[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real d[DIM], there[NV];
    N(fit_apart)(x, i, neighbour[e], d);
    N(state_load)(q + NV * neighbour[e], there);
    for (i32 k = 0; k < NV; k++) {
      const real ask = R(0.5) * N(vec_dot)(g + DIM * k, d);
      low[k] = smaller(low[k], there[k]), high[k] = larger(high[k], there[k]);
      up[k] = larger(up[k], ask), down[k] = smaller(down[k], ask);
    }
  }
  for (i32 k = 0; k < NV; k++) {
    const real span = K * (real)(r[k] + r[NV + k]), eps2 = span * span + R(1e-20);
    const real a = limiter_venkatakrishnan(high[k] - own[k], up[k], eps2);
    const real b = limiter_venkatakrishnan(low[k] - own[k], down[k], eps2), phi = smaller(smaller(a, b), R(1));
    for (i32 l = 0; l < DIM; l++) to[DIM * k + l] = phi * g[DIM * k + l];
  }
}

/* The mean of a point's gradients and its satellites'.  With upwind fluxes of second order the
 * gradients of the nearest satellites alone let some changes grow on clouds without order: the mean
 * looks farther, and stays exact for linear fields.                                             */
HD void N(cloud_mean)(i32 i, const i32 *offsets, const i32 *neighbour, const real *raw, real *g)
{
  N(slope_load)(raw + NG * i, g);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real there[NG];
    N(slope_load)(raw + NG * neighbour[e], there);
    for (i32 k = 0; k < NG; k++) g[k] += there[k];
  }
  const real per = R(1) / (real)(1 + offsets[i + 1] - offsets[i]);
  for (i32 k = 0; k < NG; k++) g[k] *= per;
}

KERNEL(N(cloud_smooth), CLOUD_SMOOTH, wide)
{
  if (!active[member[i]]) return;
  real g[NG];
  N(cloud_mean)(i, offsets, neighbour, raw, g);
  for (i32 k = 0; k < NG; k++) grad[NG * i + k] = g[k];
}

KERNEL(N(cloud_smooth_wang), CLOUD_SMOOTH_WANG, wide)
{
  if (!active[member[i]]) return;
  real g[NG];
  N(cloud_mean)(i, offsets, neighbour, raw, g);
  N(cloud_limit)(i, x, offsets, neighbour, q, range + NR * member[i], K, g, grad + NG * i);
}

#if DIM == 3
/* Weighted least-squares gradients of (rho, u, v, w, p). */
HD void gradient_3d(i32 i, const f64 *x, const i32 *offsets, const i32 *neighbour, const real *inverse, const real *q,
                    i32 squared, real *g)
{
  real own[5];
  state_load_3d(q + 5 * i, own);
  for (i32 k = 0; k < 15; k++) g[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real d[3];
    fit_apart_3d(x, i, neighbour[e], d);
    const real w = fit_weight_3d(d, squared);
    for (i32 k = 0; k < 5; k++) {
      const real up = w * (q[5 * neighbour[e] + k] - own[k]);
      for (i32 l = 0; l < 3; l++) g[3 * k + l] += up * d[l];
    }
  }
  for (i32 k = 0; k < 5; k++) {
    const real b[3] = {g[3 * k], g[3 * k + 1], g[3 * k + 2]};
    fit_apply_3d(inverse + 6 * i, b, g + 3 * k);
  }
}

KERNEL(cloud_gradient_3d, CLOUD_GRADIENT_3D, wide)
{
  if (!active[member[i]]) return;
  real g[15];
  gradient_3d(i, x, offsets, neighbour, inverse, q, squared, g);
  for (i32 k = 0; k < 15; k++) grad[15 * i + k] = g[k];
}

KERNEL(cloud_gradient_wang_3d, CLOUD_GRADIENT_WANG_3D, wide)
{
  if (!active[member[i]]) return;
  real g[15];
  gradient_3d(i, x, offsets, neighbour, inverse, q, squared, g);
  cloud_limit_3d(i, x, offsets, neighbour, q, range + 10 * member[i], K, g, grad + 15 * i);
}
#endif
