/* gradient.h - gradients on clouds: in space by least squares (in the plane see gradient_plane.h), averaged
 * over satellites, limited; once per dimension.  Units of gas.h per chord.                        */

/* Satellites whose places a device reads side by side. */
#ifdef __CUDACC__
#define AT_ONCE 3
#else
#define AT_ONCE 1
#endif

/* Variables `lane` to `lane + width - 1` of a point.  On a device a point has a lane for each, so that
 * threads read a satellite's numbers side by side, or where there is much to work out of the places
 * two lanes; on a host all are one vector.                                                      */
HD void N(cloud_variables)(const real *q, i32 j, i32 lane, i32 width, real *to)
{
  if (width == NV) {
    N(state_load)(q + NV * j, to);
    return;
  }
  for (i32 k = 0; k < width; k++) to[k] = q[NV * j + lane + k];
}

/* Room of such variables up and down to the largest and the smallest of the satellites. */
HD void N(cloud_room)(const real *there, const real *own, i32 width, real *low, real *high)
{
  for (i32 k = 0; k < width; k++) {
    const real up = there[k] - own[k];
    low[k] = smaller(low[k], up), high[k] = larger(high[k], up);
  }
}

/* Gradients g of such variables limited by Wang's form, threshold K (max - min) over the member
 * (theory eq. 2.4b), with the largest changes that they ask for up and down.                    */
HD void N(cloud_limit)(i32 i, i32 lane, i32 width, const f64 *x, const i32 *offsets, const i32 *neighbour,
                       const real *low, const real *high, const f64 *r, real K, real *g)
{
  real      up[NV], down[NV];
  const i32 last = offsets[i + 1] - 1;
  for (i32 k = 0; k < width; k++) up[k] = down[k] = 0;
  for (i32 e = offsets[i]; e <= last; e += AT_ONCE) {
    real d[AT_ONCE][DIM];
    for (i32 t = 0; t < AT_ONCE; t++) N(fit_apart)(x, i, neighbour[e + t < last ? e + t : last], d[t]);
    for (i32 t = 0; t < AT_ONCE; t++)
      for (i32 k = 0; k < width; k++) {
        const real ask = R(0.5) * N(vec_dot)(g + DIM * k, d[t]);
        up[k] = larger(up[k], ask), down[k] = smaller(down[k], ask);
      }
  }
  for (i32 k = 0; k < width; k++) {
    const real span = K * (real)(r[lane + k] + r[NV + lane + k]), eps2 = span * span + R(1e-20);
    const real a = limiter_venkatakrishnan(high[k], up[k], eps2);
    const real b = limiter_venkatakrishnan(low[k], down[k], eps2), phi = smaller(smaller(a, b), R(1));
    for (i32 l = 0; l < DIM; l++) g[DIM * k + l] *= phi;
  }
}

/* The mean of a point's gradients and its satellites', and where variables are given their room.  With
 * upwind fluxes of second order the gradients of the nearest satellites alone let some changes grow on
 * clouds without order: the mean looks farther, and stays exact for linear fields.              */
HD i32 N(cloud_mean)(i32 i, i32 lane, const i32 *live, const i32 *offsets, const i32 *neighbour, const real *raw,
                     const real *q, real *low, real *high, real *g)
{
  NEIGHBOURS(offsets[i], offsets[i + 1], 1);
  if (!*live) return 0;
  real own[NV], there[NV];
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) g[k] = raw[NG * i + DIM * lane + k];
  if (q) N(cloud_variables)(q, i, lane, WIDTH(NV), own);
  for (i32 k = 0; k < WIDTH(NV); k++) low[k] = high[k] = 0;
  EACH_NEIGHBOUR(e, j)
  {
    for (i32 k = 0; k < DIM * WIDTH(NV); k++) g[k] += raw[NG * j + DIM * lane + k];
    if (!q) continue;
    N(cloud_variables)(q, j, lane, WIDTH(NV), there);
    N(cloud_room)(there, own, WIDTH(NV), low, high);
  }
  const real per = reciprocal((real)(1 + offsets[i + 1] - offsets[i]));
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) g[k] *= per;
  return 1;
}

HD void N(cloud_put_lanes)(i32 i, i32 lane, const real *g, real *grad)
{
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) grad[NG * i + DIM * lane + k] = g[k];
}

#define CLOUD_SMOOTH(F)              \
  NODE_GRAPH(F)                      \
  F(in, real, raw, "nodes," STR(NG)) \
  F(out, real, grad, "nodes," STR(NG))
LANES(N(cloud_smooth), CLOUD_SMOOTH, busy, NV)
{
  real g[NG], low[NV], high[NV];
  if (!N(cloud_mean)(i, lane, active + member[i], offsets, neighbour, raw, 0, low, high, g)) return;
  N(cloud_put_lanes)(i, lane, g, grad);
}

#define CLOUD_LIMITED(F)                                                 \
  F(in, f64, range, "members," STR(NR)) /* from state_primitive_range */ \
  F(val, real, K, "")
#define CLOUD_SMOOTH_WANG(F)       \
  CLOUD_SMOOTH(F)                  \
  F(in, f64, x, "nodes," STR(DIM)) \
  F(in, real, q, "nodes," STR(NV)) \
  CLOUD_LIMITED(F)
LANES(N(cloud_smooth_wang), CLOUD_SMOOTH_WANG, busy, NV)
{
  const i32 m = member[i];
  real      g[NG], low[NV], high[NV];
  if (!N(cloud_mean)(i, lane, active + m, offsets, neighbour, raw, q, low, high, g)) return;
  N(cloud_limit)(i, lane, WIDTH(NV), x, offsets, neighbour, low, high, range + NR * m, K, g);
  N(cloud_put_lanes)(i, lane, g, grad);
}

#if DIM == 3
/* Weighted sums of least squares for such variables among (rho, u, v, w, p), and their room. */
HD i32 gradient_sums_3d(i32 i, i32 lane, i32 width, const i32 *live, const f64 *x, const i32 *offsets,
                        const i32 *neighbour, const real *q, i32 squared, real *low, real *high, real *g)
{
  NEIGHBOURS(offsets[i], offsets[i + 1], 1);
  real own[5];
  if (!*live) return 0;
  cloud_variables_3d(q, i, lane, width, own);
  for (i32 k = 0; k < 3 * width; k++) g[k] = 0;
  for (i32 k = 0; k < width; k++) low[k] = high[k] = 0;
  EACH_NEIGHBOUR(e, j)
  {
    real there[5], d[3];
    cloud_variables_3d(q, j, lane, width, there);
    fit_apart_3d(x, i, j, d);
    cloud_room_3d(there, own, width, low, high);
    const real w = fit_weight_3d(d, squared);
    for (i32 k = 0; k < width; k++) {
      const real up = w * (there[k] - own[k]);
      for (i32 l = 0; l < 3; l++) g[3 * k + l] += up * d[l];
    }
  }
  return 1;
}

/* The gradients of those sums. */
HD void gradient_fit_3d(i32 width, const real *inverse, real *g)
{
  for (i32 k = 0; k < width; k++) {
    const real b[3] = {g[3 * k], g[3 * k + 1], g[3 * k + 2]};
    fit_apply_3d(inverse, b, g + 3 * k);
  }
}

#define CLOUD_GRADIENT_3D(F)      \
  NODE_GRAPH(F)                   \
  F(in, f64, x, "nodes,3")        \
  F(in, real, inverse, "nodes,6") \
  F(in, real, q, "nodes,5")       \
  F(val, i32, squared, "")        \
  F(out, real, grad, "nodes,15")
LANES(cloud_gradient_3d, CLOUD_GRADIENT_3D, busy, 5)
{
  const i32 *live = active + member[i];
  real       g[15], low[5], high[5];
  if (!gradient_sums_3d(i, lane, WIDTH(5), live, x, offsets, neighbour, q, squared, low, high, g)) return;
  gradient_fit_3d(WIDTH(5), inverse + 6 * i, g);
  cloud_put_lanes_3d(i, lane, g, grad);
}

/* A device shares the variables of a point between two lanes, (rho, u, v) and (v, w, p): both write the
 * same v, which costs less than a record of another length.                                     */
#ifdef __CUDACC__
#define SHARE 3
#else
#define SHARE 5
#endif
#define CLOUD_GRADIENT_WANG_3D(F) CLOUD_GRADIENT_3D(F) CLOUD_LIMITED(F)
TEAM(cloud_gradient_wang_3d, CLOUD_GRADIENT_WANG_3D, heavy, PAIR)
{
  const i32 m = member[i], first = 2 * lane;
  real      g[3 * SHARE], low[SHARE], high[SHARE];
  if (!gradient_sums_3d(i, first, SHARE, active + m, x, offsets, neighbour, q, squared, low, high, g)) return;
  gradient_fit_3d(SHARE, inverse + 6 * i, g);
  cloud_limit_3d(i, first, SHARE, x, offsets, neighbour, low, high, range + 10 * m, K, g);
  PUT(3 * SHARE, grad + 15 * i + 3 * first, g);
}
#endif
