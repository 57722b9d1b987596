/* stage.h - pseudo-steps of a Runge-Kutta scheme on a cloud, without a matrix.  step [chord / a_inf]. */

/* The local pseudo-step, CFL over the sum of lambda of satellites and twice that of what they leave open;
 * and a copy of u, from which all stages start.                                                 */
#define CLOUD_STEP(F)                \
  CLOUD_FIELDS(F)                    \
  F(in, f64, pace, "nodes")          \
  F(in, real, u, "nodes," STR(NV))   \
  F(val, real, rk_cfl, "")           \
  F(out, real, u0, "nodes," STR(NV)) \
  F(out, real, step, "nodes")
KERNEL(N(cloud_step), CLOUD_STEP, CLOUD_LOOP)
{
  const i32 m = member[i];
  NEIGHBOURS(offsets[i], offsets[i + 1], 1);
  if (!active[m]) return;
  const real *v = velocity + DIM * i;
  real        own[NV], sum = 0, open[DIM] = {0};
  N(state_load)(q + NV * i, own);
  EACH_NEIGHBOUR(e, j)
  {
    real there[NV], d[DIM], a[DIM];
    N(state_load)(q + NV * j, there);
    const real w = N(cloud_satellite)(x, i, j, inverse, v, squared, d, a);
    sum += larger(N(gas_radius)(own, a, w), N(gas_radius)(there, a, w));
    for (i32 k = 0; k < DIM; k++) open[k] += a[k];
  }
  sum += R(2) * N(gas_radius)(own, open, N(vec_dot)(v, open));
  for (i32 k = NV * i; k < NV * (i + 1); k++) u0[k] = u[k];
  step[i] = rk_cfl * (real)pace[i] / sum;
}

/* A stage of the Runge-Kutta scheme; the term c0 u of physical time is taken at the new state. */
#define CLOUD_STAGE(F)                \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, f64, V, "nodes")              \
  F(in, f64, bdf, "members,3")        \
  F(in, real, step, "nodes")          \
  F(in, real, u0, "nodes," STR(NV))   \
  F(in, real, res, "nodes," STR(NV))  \
  F(val, real, share, "")             \
  F(rw, real, u, "nodes," STR(NV))    \
  F(out, real, q, "nodes," STR(NV))   \
  F(inc, u64, faults, "members")
KERNEL(N(cloud_stage), CLOUD_STAGE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real t = share * step[i], c0 = (real)bdf[3 * m], per = reciprocal(R(1) + t * c0),
             per_V = reciprocal((real)V[i]);
  real r[NV], from[NV], to[NV];
  N(state_load)(res + NV * i, r), N(state_load)(u + NV * i, to), N(state_load)(u0 + NV * i, from);
  /* res has c0 u of the old state: taken off here, and that of the new state is in `per` */
  for (i32 k = 0; k < NV; k++) from[k] = per * (from[k] - t * (per_V * r[k] - c0 * to[k]));
  N(state_put)(u + NV * i, from);
  N(primitive_put)(i, from, to, q, member, active, faults);
}
