/* cloud.h - the Euler equations on a moving cloud of points (docs/meshless.md; Zhang et al. 2018,
 * Wang et al.).  With a_ij the coefficients of the weighted least squares at point i,
 *   div F = 2 sum_j [F_ij - F(W_i).a_ij],   F relative to the velocity of point i itself,
 * so that a uniform stream has no residual on any cloud, however it moves.  Residuals are times
 * the point's share V of space, a constant that only weighs the norms.
 *
 * At a wall point every satellite has a mirror image behind the tangent plane with the state
 * mirrored.  Both fluxes are each other's mirror images: their sum is that of the satellites alone
 * with coefficients that do not couple normal and tangent, without its momentum across the wall.
 * normal is that of the wall into the fluid's outside, zero at all other points.                */

/* Velocity of the points from their last places (theory eq. 2.13 without volumes). */
#define CLOUD_VELOCITY(F)             \
  F(in, i32, member, "nodes>members") \
  F(in, f64, rate, "members,2")       \
  F(in, f64, x, "nodes,2")            \
  F(in, f64, x1, "nodes,2")           \
  F(in, f64, x2, "nodes,2")           \
  F(out, real, velocity, "nodes,2")
KERNEL(cloud_velocity, CLOUD_VELOCITY, indirect)
{
  const f64 *r = rate + 2 * member[i];
  for (i32 k = 2 * i; k < 2 * i + 2; k++) velocity[k] = (real)(r[0] * (x[k] - x1[k]) + r[1] * (x1[k] - x2[k]));
}

/* Unit normals of the boundary's points out of the fluid; none where both sides of an edge such as
 * a trailing edge meet: the flow is free there.                                                 */
#define CLOUD_NORMALS(F)              \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, f64, x, "nodes,2")            \
  F(in, i32, ends, "bnodes,2>nodes?") \
  F(rw, real, normal, "nodes,2")
KERNEL(cloud_normals, CLOUD_NORMALS, indirect)
{
  const struct vec2 a  = point(x, node[i]);
  f64               sx = 0, sy = 0, length = 0;
  for (i32 side = 0; side < 2; side++) {
    const i32 e = ends[2 * i + side];
    if (e < 0) continue;
    const struct vec2 t = side ? minus(point(x, e), a) : minus(a, point(x, e));
    sx += t.y, sy -= t.x, length += sqrt(dot(t, t));
  }
  const f64 size = sqrt(sx * sx + sy * sy), per = size > 0.5 * length ? 1 / size : 0;
  normal[2 * node[i]]     = (real)(sx * per);
  normal[2 * node[i] + 1] = (real)(sy * per);
}

/* Inverse of the least-squares matrix, as least_squares gives it, with normal and tangent apart. */
#define CLOUD_MIRROR(F)                   \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, f64, x, "nodes,2")                \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, normal, "nodes,2")          \
  F(rw, real, inverse, "nodes,3")
KERNEL(cloud_mirror, CLOUD_MIRROR, indirect)
{
  const i32         a  = node[i];
  const struct vec2 at = point(x, a), unit = vec2_of((f64)normal[2 * a], (f64)normal[2 * a + 1]);
  f64               across = 0, along = 0;
  if (unit.x == 0 && unit.y == 0) return;
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) {
    const struct vec2 to = minus(point(x, neighbour[e]), at);
    const f64         w = 1 / dot(to, to), dn = dot(to, unit), dt = cross(unit, to);
    across += w * dn * dn;
    along += w * dt * dt;
  }
  across = 1 / across, along = 1 / along;
  inverse[3 * a]     = (real)(across * unit.x * unit.x + along * unit.y * unit.y);
  inverse[3 * a + 1] = (real)((across - along) * unit.x * unit.y);
  inverse[3 * a + 2] = (real)(across * unit.y * unit.y + along * unit.x * unit.x);
}

/* Coefficients of satellite j at i. */
HD void cloud_coefficients(const f64 *x, i32 i, i32 j, const real *inverse, real *a)
{
  const struct vec2 to = minus(point(x, j), point(x, i));
  const real        dx = (real)to.x, dy = (real)to.y, w = reciprocal(dx * dx + dy * dy);
  a[0] = w * (inverse[3 * i] * dx + inverse[3 * i + 1] * dy);
  a[1] = w * (inverse[3 * i + 1] * dx + inverse[3 * i + 2] * dy);
}

#define CLOUD_FIELDS(F)                   \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, f64, x, "nodes,2")                \
  F(in, real, inverse, "nodes,3")         \
  F(in, real, normal, "nodes,2")          \
  F(in, real, velocity, "nodes,2")        \
  F(in, real, q, "nodes,4")
#define CLOUD_RESIDUAL(F)                                       \
  CLOUD_FIELDS(F)                                               \
  F(in, real, grad, "nodes,8")                                  \
  F(in, f64, V, "nodes")                                        \
  F(in, real, u, "nodes,4")                                     \
  F(in, real, past, "nodes,4")                                  \
  F(in, f64, bdf, "members,3")                                  \
  F(val, real, fix, "")                                         \
  F(out, i32, lowered, "nodes") /* satellites at first order */ \
  F(out, real, res, "nodes,4")

/* res = V (div F + c0 u) + past, without the part across a wall. */
HD void cloud_store(i32 i, const real *sum, const f64 *V, const real *u, const real *past, f64 c0, const real *normal,
                    real *res)
{
  real r[4];
  for (i32 k = 0; k < 4; k++) r[k] = (real)V[i] * (sum[k] + (real)c0 * u[4 * i + k]) + past[4 * i + k];
  const real nx = normal[2 * i], ny = normal[2 * i + 1], across = r[1] * nx + r[2] * ny;
  r[1] -= across * nx, r[2] -= across * ny;
  put4(res + 4 * i, r);
}

/* Harmonic mean of two differences of one sign, else nothing (van Leer; Wang et al. eq. 7). */
HD real limiter_van_leer(real a, real b)
{
  const real ab = a * b;
  return ab > 0 ? R(2) * ab / (a + b) : R(0);
}

/* States at the middle between i and its satellite, from gradients that are limited already
 * (CLOUD_LINEAR) or by van Leer's limiter between the two differences that a side knows.        */
HD void cloud_states_limited(const real *qi, const real *qj, const real *gi, const real *gj, real dx, real dy, real *l,
                             real *r)
{
  for (i32 k = 0; k < 4; k++) {
    l[k] = qi[k] + R(0.5) * (gi[2 * k] * dx + gi[2 * k + 1] * dy);
    r[k] = qj[k] - R(0.5) * (gj[2 * k] * dx + gj[2 * k + 1] * dy);
  }
}

HD void cloud_states_van_leer(const real *qi, const real *qj, const real *gi, const real *gj, real dx, real dy, real *l,
                              real *r)
{
  for (i32 k = 0; k < 4; k++) {
    const real d  = qj[k] - qi[k];
    const real di = R(2) * (gi[2 * k] * dx + gi[2 * k + 1] * dy) - d;
    const real dj = R(2) * (gj[2 * k] * dx + gj[2 * k + 1] * dy) - d;
    l[k]          = qi[k] + R(0.5) * limiter_van_leer(di, d);
    r[k]          = qj[k] - R(0.5) * limiter_van_leer(dj, d);
  }
}

#define CLOUD_ROE_BODY(states)                                                                \
  const i32 m = member[i];                                                                    \
  if (!active[m]) return;                                                                     \
  const real       *v  = velocity + 2 * i;                                                    \
  const struct vec2 at = point(x, i);                                                         \
  real              own[4], gi[8], sum[4] = {0, 0, 0, 0};                                     \
  i32               low = 0;                                                                  \
  load4(q + 4 * i, own), load4(grad + 8 * i, gi), load4(grad + 8 * i + 4, gi + 4);            \
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {                                         \
    const i32         j  = neighbour[e];                                                      \
    const struct vec2 to = minus(point(x, j), at);                                            \
    real              there[4], gj[8], a[2], l[4], r[4], f[4], g[4];                          \
    load4(q + 4 * j, there), load4(grad + 8 * j, gj), load4(grad + 8 * j + 4, gj + 4);        \
    cloud_coefficients(x, i, j, inverse, a);                                                  \
    const real w = v[0] * a[0] + v[1] * a[1];                                                 \
    states(own, there, gi, gj, (real)to.x, (real)to.y, l, r);                                 \
    if (!(l[0] > 0 && r[0] > 0 && l[3] > 0 && r[3] > 0)) { /* as on a mesh: see ale_flux.h */ \
      for (i32 k = 0; k < 4; k++) l[k] = own[k], r[k] = there[k];                             \
      low++;                                                                                  \
    }                                                                                         \
    flux_roe(l, r, a, w, fix, f);                                                             \
    gas_flux(own, a, w, g);                                                                   \
    for (i32 k = 0; k < 4; k++) sum[k] += R(2) * (f[k] - g[k]);                               \
  }                                                                                           \
  lowered[i] = low;                                                                           \
  cloud_store(i, sum, V, u, past, bdf[3 * m], normal, res)
KERNEL(cloud_roe, CLOUD_RESIDUAL, heavy)
{
  CLOUD_ROE_BODY(cloud_states_limited);
}
KERNEL(cloud_roe_van_leer, CLOUD_RESIDUAL, heavy)
{
  CLOUD_ROE_BODY(cloud_states_van_leer);
}

/* What JST's dissipation asks of a point (Zhang et al. eq. 9): the mean difference to its satellites
 * less what the gradient explains of it, so that linear fields have none on any cloud, and the sensor
 * |sum (p_j - p_i)| / sum (p_j + p_i).                                                          */
#define CLOUD_ROUGHNESS(F)                \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, f64, x, "nodes,2")                \
  F(in, real, q, "nodes,4")               \
  F(in, real, grad, "nodes,8")            \
  F(out, real, rough, "nodes,4")          \
  F(out, real, sensor, "nodes")
KERNEL(cloud_roughness, CLOUD_ROUGHNESS, heavy)
{
  if (!active[member[i]]) return;
  const struct vec2 at = point(x, i);
  real              own[4], g[8], sum[4] = {0, 0, 0, 0}, up = 0, all = 0;
  load4(q + 4 * i, own), load4(grad + 8 * i, g), load4(grad + 8 * i + 4, g + 4);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const struct vec2 to = minus(point(x, neighbour[e]), at);
    const real        dx = (real)to.x, dy = (real)to.y;
    real              there[4];
    load4(q + 4 * neighbour[e], there);
    for (i32 k = 0; k < 4; k++) sum[k] += there[k] - own[k] - g[2 * k] * dx - g[2 * k + 1] * dy;
    up += there[3] - own[3], all += there[3] + own[3];
  }
  const real per = R(1) / (real)(offsets[i + 1] - offsets[i]);
  for (i32 k = 0; k < 4; k++) sum[k] *= per;
  put4(rough + 4 * i, sum);
  sensor[i] = fabs(up) / all;
}

/* d u = (du / dq) dq */
HD void gas_conserved_change(const real *q, const real *dq, real *du)
{
  du[0] = dq[0];
  du[1] = q[1] * dq[0] + q[0] * dq[1];
  du[2] = q[2] * dq[0] + q[0] * dq[2];
  du[3] = dq[3] / (GAMMA - R(1)) + R(0.5) * (q[1] * q[1] + q[2] * q[2]) * dq[0] + q[0] * (q[1] * dq[1] + q[2] * dq[2]);
}

/* Central fluxes with JST's dissipation (Zhang et al. eq. 8 to 10). */
#define CLOUD_JST(F)            \
  CLOUD_FIELDS(F)               \
  F(in, real, rough, "nodes,4") \
  F(in, real, sensor, "nodes")  \
  F(in, f64, V, "nodes")        \
  F(in, real, u, "nodes,4")     \
  F(in, real, past, "nodes,4")  \
  F(in, f64, bdf, "members,3")  \
  F(val, real, k2, "")          \
  F(val, real, k4, "")          \
  F(out, real, res, "nodes,4")
KERNEL(cloud_jst, CLOUD_JST, heavy)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real *v = velocity + 2 * i;
  real        own[4], ri[4], li[4], ui[4], sum[4] = {0, 0, 0, 0};
  load4(q + 4 * i, own), load4(rough + 4 * i, ri);
  gas_conserved_change(own, ri, li);
  gas_conserved(own, ui);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32 j = neighbour[e];
    real      there[4], rj[4], lj[4], uj[4], a[2], f[4], g[4];
    load4(q + 4 * j, there), load4(rough + 4 * j, rj);
    cloud_coefficients(x, i, j, inverse, a);
    const real w      = v[0] * a[0] + v[1] * a[1];
    const real lambda = R(0.5) * (gas_radius(own, a, w) + gas_radius(there, a, w));
    const real e2 = k2 * fmax(sensor[i], sensor[j]), e4 = fmax(k4 - e2, R(0));
    gas_conserved_change(there, rj, lj);
    gas_conserved(there, uj);
    gas_flux(there, a, w, f);
    gas_flux(own, a, w, g);
    for (i32 k = 0; k < 4; k++) sum[k] += f[k] - g[k] - R(2) * lambda * (e2 * (uj[k] - ui[k]) - e4 * (lj[k] - li[k]));
  }
  cloud_store(i, sum, V, u, past, bdf[3 * m], normal, res);
}

/* Points of the far field anew: first order, half of the weight on mirror images outside, which hold
 * the stream; Roe's flux lets each characteristic bring its own side.                           */
#define CLOUD_FARFIELD(F)           \
  F(in, i32, node, "bnodes>nodes!") \
  CLOUD_FIELDS(F)                   \
  F(in, f64, V, "nodes")            \
  F(in, real, u, "nodes,4")         \
  F(in, real, past, "nodes,4")      \
  F(in, f64, bdf, "members,3")      \
  F(in, f64, stream, "members,4")   \
  F(opt, f64, strength, "members")  \
  F(in, f64, centre, "members,2")   \
  F(val, real, fix, "")             \
  F(in, real, outward, "nodes,2")   \
  F(rw, real, res, "nodes,4")
KERNEL(cloud_farfield, CLOUD_FARFIELD, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + 2 * a, *unit = outward + 2 * a;
  real        own[4], out[4], sum[4] = {0, 0, 0, 0};
  load4(q + 4 * a, own);
  farfield_state(stream + 4 * m, strength ? strength + m : 0, centre + 2 * m, x + 2 * a, out);
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) {
    real there[4], s[2], f[4], g[4];
    load4(q + 4 * neighbour[e], there);
    cloud_coefficients(x, a, neighbour[e], inverse, s);
    for (i32 side = 0; side < 2; side++) {
      const real w = v[0] * s[0] + v[1] * s[1];
      flux_roe(own, side ? out : there, s, w, fix, f);
      gas_flux(own, s, w, g);
      for (i32 k = 0; k < 4; k++) sum[k] += f[k] - g[k];
      const real across = R(2) * (s[0] * unit[0] + s[1] * unit[1]);
      s[0] -= across * unit[0], s[1] -= across * unit[1];
    }
  }
  cloud_store(a, sum, V, u, past, bdf[3 * m], normal, res);
}

/* A row of LU-SGS (lusgs.h) on a cloud: the diagonal has the whole sum of lambda, as half of it would
 * be what the neighbours take.  In place of -A_i times the sum of a_ij, which is not zero where points
 * lie closer on one side, stands its spectral radius: left out, it would let smooth changes grow.  A change across a wall is none; half of what a point of the far field sees is
 * the stream, which does not change.                                                            */
#define CLOUD_LUSGS(F)             \
  F(in, i32, node, "rows>nodes!")  \
  F(in, i32, row_of, "nodes>rows") \
  CLOUD_FIELDS(F)                  \
  F(in, f64, V, "nodes")           \
  F(in, f64, bdf, "members,3")     \
  F(in, f64, cfl, "members")       \
  F(in, f64, pace, "nodes")        \
  F(in, real, res, "nodes,4")      \
  F(in, real, outward, "nodes,2")  \
  F(val, i32, cold, "")            \
  F(upd, real, du, "rows,4")
KERNEL(cloud_lusgs, CLOUD_LUSGS, heavy)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real *v = velocity + 2 * a, *unit = normal + 2 * a, *far = outward + 2 * a;
  const real  per_V = R(1) / (real)V[a], share = far[0] == 0 && far[1] == 0 ? R(1) : R(0.5);
  real        own[4], to[4], sum = 0, open[2] = {0, 0};
  load4(q + 4 * a, own);
  for (i32 k = 0; k < 4; k++) to[k] = -per_V * res[4 * a + k];
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) {
    const i32 b = neighbour[e], j = row_of[b];
    real      there[4], s[2], d[4], df[4];
    load4(q + 4 * b, there);
    cloud_coefficients(x, a, b, inverse, s);
    const real w      = v[0] * s[0] + v[1] * s[1];
    const real lambda = fmax(gas_radius(own, s, w), gas_radius(there, s, w));
    sum += lambda, open[0] += s[0], open[1] += s[1];
    if (cold && j > i) continue;
    load4(du + 4 * j, d);
    gas_jacobian_apply(there, s, w, d, df);
    for (i32 k = 0; k < 4; k++) to[k] -= share * (df[k] - lambda * d[k]);
  }
  const real out = open[0] * (unit[0] + far[0]) + open[1] * (unit[1] + far[1]);
  open[0] -= out * (unit[0] + far[0]), open[1] -= out * (unit[1] + far[1]);
  const real rest   = gas_radius(own, open, v[0] * open[0] + v[1] * open[1]);
  const real per    = R(1) / (sum / (real)(cfl[m] * pace[a]) + (real)bdf[3 * m] + sum + rest);
  const real across = to[1] * unit[0] + to[2] * unit[1];
  to[1] -= across * unit[0], to[2] -= across * unit[1];
  for (i32 k = 0; k < 4; k++) to[k] *= per;
  put4(du + 4 * i, to);
}

/* No flow through a wall: its points keep density and pressure, and the wall's velocity across it. */
#define CLOUD_SLIP(F)                 \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, normal, "nodes,2")      \
  F(in, real, velocity, "nodes,2")    \
  F(rw, real, u, "nodes,4")
KERNEL(cloud_slip, CLOUD_SLIP, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real *unit = normal + 2 * a;
  real       *c = u + 4 * a, before = c[1] * c[1] + c[2] * c[2];
  const real  across = (c[1] - c[0] * velocity[2 * a]) * unit[0] + (c[2] - c[0] * velocity[2 * a + 1]) * unit[1];
  c[1] -= across * unit[0], c[2] -= across * unit[1];
  c[3] += R(0.5) * (c[1] * c[1] + c[2] * c[2] - before) / c[0];
}

/* Local pseudo-step CFL / sum of lambda; the state that the stages start from. */
#define CLOUD_STEP(F)         \
  CLOUD_FIELDS(F)             \
  F(in, f64, pace, "nodes")   \
  F(in, real, u, "nodes,4")   \
  F(val, real, rk_cfl, "")    \
  F(out, real, u0, "nodes,4") \
  F(out, real, step, "nodes")
KERNEL(cloud_step, CLOUD_STEP, heavy)
{
  if (!active[member[i]]) return;
  const real *v = velocity + 2 * i;
  real        own[4], sum = 0;
  load4(q + 4 * i, own);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real there[4], a[2];
    load4(q + 4 * neighbour[e], there);
    cloud_coefficients(x, i, neighbour[e], inverse, a);
    const real w = v[0] * a[0] + v[1] * a[1];
    sum += fmax(gas_radius(own, a, w), gas_radius(there, a, w));
  }
  for (i32 k = 4 * i; k < 4 * i + 4; k++) u0[k] = u[k];
  step[i] = rk_cfl * (real)pace[i] / sum;
}

/* A stage of the Runge-Kutta scheme, the physical time's own term implicit in the point. */
#define CLOUD_STAGE(F)                \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, f64, V, "nodes")              \
  F(in, f64, bdf, "members,3")        \
  F(in, real, step, "nodes")          \
  F(in, real, u0, "nodes,4")          \
  F(in, real, res, "nodes,4")         \
  F(val, real, share, "")             \
  F(rw, real, u, "nodes,4")
KERNEL(cloud_stage, CLOUD_STAGE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real t = share * step[i], c0 = (real)bdf[3 * m], per = R(1) / (R(1) + t * c0);
  for (i32 k = 4 * i; k < 4 * i + 4; k++) {
    /* res has c0 u of the state that it was made of; the implicit one is that of the new state */
    const real rest = res[k] / (real)V[i] - c0 * u[k];
    u[k]            = per * (u0[k] - t * rest);
  }
}
