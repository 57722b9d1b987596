/* open.h - states beyond open boundaries whose pressure or total state is given, once per dimension (theory eq. 2.8c
 * and 2.8d).  State in the units of gas.h; q of the fluid inside, S outward [chord], w the swept rate.        */

#ifndef OPEN_GAMMA
#define OPEN_GAMMA ((f64)(GAS_FREEDOM + 2) / GAS_FREEDOM)
#endif

/* Unit normal of S, and the fluid's speed along it less the face's. */
HD f64 N(open_across)(const real *q, const real *S, real w, f64 *n)
{
  f64 area = 0, across = 0;
  for (i32 k = 0; k < DIM; k++) area += (f64)S[k] * (f64)S[k];
  area = sqrt(area);
  for (i32 k = 0; k < DIM; k++) n[k] = (f64)S[k] / area, across += n[k] * (f64)q[VELOCITY + k];
  return across - (f64)w / area;
}

/* Outflow to a given pressure: entropy, the invariant u.n + 2 c / (gamma - 1) and the velocity along the boundary are
 * those inside; faster than sound all is.  A pressure below that at which the state beyond has the speed of sound has no
 * way in: the boundary is choked, and that state is taken (theory eq. 2.8e). */
HD void N(outlet_state)(const real *q, const real *S, real w, f64 pressure, real *out)
{
  f64       n[DIM];
  const f64 u = N(open_across)(q, S, w, n), c = sqrt(OPEN_GAMMA * (f64)q[PRESSURE] / (f64)q[DENSITY]);
  for (i32 k = 0; k < NV; k++) out[k] = q[k];
  if (u >= c) return;
  const f64 sonic = (u + GAS_FREEDOM * c) / (1 + GAS_FREEDOM),
            least = (f64)q[PRESSURE] * pow(sonic / c, GAS_FREEDOM + 2), back = fmax(pressure, least);
  const f64 ratio = pow(back / (f64)q[PRESSURE], 1 / OPEN_GAMMA),
            sound = sqrt(OPEN_GAMMA * back / ((f64)q[DENSITY] * ratio));
  out[DENSITY]    = (real)((f64)q[DENSITY] * ratio);
  out[PRESSURE]   = (real)back;
  for (i32 k = 0; k < DIM; k++) out[VELOCITY + k] = (real)((f64)q[VELOCITY + k] + GAS_FREEDOM * (c - sound) * n[k]);
}

/* Inflow of a given total state, pressure and squared speed of sound at rest, along `way`, or across the boundary where
 * that is 0: the invariant that leaves, u.n + 2 c / (gamma - 1), is that inside; at rest where it would flow out. */
HD void N(inlet_state)(const real *q, const real *S, real w, const f64 *total, const f64 *way, real *out)
{
  f64       n[DIM], along = 0, size = 0;
  const f64 u      = N(open_across)(q, S, w, n),
            leaves = u + GAS_FREEDOM * sqrt(OPEN_GAMMA * (f64)q[PRESSURE] / (f64)q[DENSITY]);
  for (i32 k = 0; k < DIM; k++) along -= way[k] * n[k], size += way[k] * way[k];
  const f64 cosine = size > 0 ? along : 1;
  /* c^2 + (gamma - 1) / 2 v^2 = c0^2 with v = (5 c - leaves) / cosine */
  const f64 m = 1 / (cosine * cosine * GAS_FREEDOM), a = 1 + GAS_FREEDOM * GAS_FREEDOM * m;
  const f64 b = GAS_FREEDOM * m * leaves, d = b * b - a * (m * leaves * leaves - total[1]);
  f64       c = (b + sqrt(d > 0 ? d : 0)) / a;
  if (GAS_FREEDOM * c < leaves) c = sqrt(total[1]);
  const f64 speed = c * c < total[1] ? sqrt(GAS_FREEDOM * (total[1] - c * c)) : 0, share = c * c / total[1];
  const f64 p   = total[0] * pow(share, OPEN_GAMMA / (OPEN_GAMMA - 1));
  out[DENSITY]  = (real)(OPEN_GAMMA * p / (c * c));
  out[PRESSURE] = (real)p;
  for (i32 k = 0; k < DIM; k++) out[VELOCITY + k] = (real)(speed * (size > 0 ? way[k] : -n[k]));
  for (i32 k = ENERGY + 1; k < NV; k++) out[k] = q[k];
}
