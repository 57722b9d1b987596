/* newton.h - steps of Newton's method on the true residual, once per dimension (docs/theory.md, section 2.9).
 *   [T / CFL + dR/dx] dx = -R,   x = u, and behind it what is solved for beside it over its scale
 * Vectors of GMRES have `width` numbers a node: those of u, and one of the equation beside (mesh/eddies_newton.h),
 * whose residual counts `weight`.  T [chord a_inf]: V / dtau at a CFL number of 1.                    */

#define NEWTON_NODES(F)               \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")

/* The begin of a step: its state and residual are kept, and the pace is 1. */
#define NEWTON_KEEP(F)                \
  NEWTON_NODES(F)                     \
  F(in, real, u, "nodes," STR(NV))    \
  F(in, real, res, "nodes," STR(NV))  \
  F(rw, real, u0, "nodes," STR(NV))   \
  F(rw, real, res0, "nodes," STR(NV)) \
  F(rw, f64, pace, "nodes")
KERNEL(N(newton_keep), NEWTON_KEEP, indirect)
{
  if (!active[member[i]]) return;
  for (i32 k = NV * i; k < NV * (i + 1); k++) u0[k] = u[k], res0[k] = res[k];
  pace[i] = 1;
}

/* Norms of both residuals, the weight that gives that of the equation beside the share theta of the gas's, and the
 * norm of all.                                                                                     */
#define NEWTON_NORMS(F)               \
  F(in, i32, active, "members")       \
  F(in, real, res0, "nodes," STR(NV)) \
  F(opt, real, beside0, "nodes")      \
  F(in, f64, theta, "members")        \
  TOTALS(F, "nodes")                  \
  F(upd, f64, parts, "groups,2")      \
  F(rw, f64, weight, "members")       \
  F(rw, f64, size, "members")
TOTAL(N(newton_norms), NEWTON_NORMS, sum, 2, active[m])
{
  for (i32 k = NV * i; k < NV * (i + 1); k++) s[0] += (f64)res0[k] * (f64)res0[k];
  if (beside0) s[1] += (f64)beside0[i] * (f64)beside0[i];
}
OF_MEMBER(N(newton_norms), NEWTON_NORMS)
{
  weight[m] = s[0] > 0 && s[1] > 0 ? theta[m] * sqrt(s[0] / s[1]) : 1;
  size[m]   = sqrt(s[0] + weight[m] * weight[m] * s[1]);
}

/* w = -R. */
#define NEWTON_SIDE(F)                \
  NEWTON_NODES(F)                     \
  F(in, real, res0, "nodes," STR(NV)) \
  F(size, i32, width, "width")        \
  F(rw, f32, w, "nodes,width")
KERNEL(N(newton_side), NEWTON_SIDE, indirect)
{
  if (!active[member[i]]) return;
  for (i32 k = 0; k < NV; k++) w[width * i + k] = (f32)-res0[NV * i + k];
}

/* The preconditioner's side, by rows of its matrix, and its solution. */
#define NEWTON_GIVE(F)            \
  F(in, i32, node, "rows>nodes!") \
  NEWTON_NODES(F)                 \
  F(in, f32, w, "nodes,width")    \
  F(size, i32, width, "width")    \
  F(rw, real, rhs, "rows," STR(NV))
KERNEL(N(newton_give), NEWTON_GIVE, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  for (i32 k = 0; k < NV; k++) rhs[NV * i + k] = (real)w[width * a + k];
}
#define NEWTON_GET(F)              \
  F(in, i32, node, "rows>nodes!")  \
  NEWTON_NODES(F)                  \
  F(in, real, du, "rows," STR(NV)) \
  F(size, i32, width, "width")     \
  F(rw, f32, z, "nodes,width")
KERNEL(N(newton_get), NEWTON_GET, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  for (i32 k = 0; k < NV; k++) z[width * a + k] = (f32)du[NV * i + k];
}

/* u = u0 + share z; with a share of 0 the state of before, whatever z is. */
#define NEWTON_MOVE(F)              \
  NEWTON_NODES(F)                   \
  F(in, f64, share, "members")      \
  F(in, real, u0, "nodes," STR(NV)) \
  F(in, f32, z, "nodes,width")      \
  F(size, i32, width, "width")      \
  F(rw, real, u, "nodes," STR(NV))
KERNEL(N(newton_move), NEWTON_MOVE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real by = (real)share[m];
  for (i32 k = 0; k < NV; k++) {
    const real from = u0[NV * i + k];
    u[NV * i + k]   = by > 0 ? from + by * (real)z[width * i + k] : from;
  }
}

/* T / CFL times d, with the block of low Mach numbers, is added to `to`. */
HD void N(newton_time)(const real *q, const f64 *low_mach, real per_dtau, const real *d, real *to)
{
  for (i32 k = 0; k < NV; k++) {
    to[k] += per_dtau * d[k];
    if (low_mach[0] < 1) N(low_mach_pace)(q, (real)low_mach[1], per_dtau * d[k], k, to);
  }
}

#define NEWTON_TIMES(F)              \
  F(in, f64, cfl, "members")         \
  F(in, f64, low_mach, "members,2")  \
  F(in, real, T, "nodes")            \
  F(in, real, q, "nodes," STR(NV))   \
  F(in, real, res, "nodes," STR(NV)) \
  F(in, f32, z, "nodes,width")       \
  F(size, i32, width, "width")
/* w = (R(x + share z) - R(x)) / share + T z / CFL. */
#define NEWTON_PRODUCT(F)             \
  NEWTON_NODES(F)                     \
  F(in, f64, share, "members")        \
  NEWTON_TIMES(F)                     \
  F(in, real, res0, "nodes," STR(NV)) \
  F(rw, f32, w, "nodes,width")
KERNEL(N(newton_product), NEWTON_PRODUCT, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real per = (real)(1 / share[m]);
  real       d[NV], to[NV];
  for (i32 k = 0; k < NV; k++) {
    d[k]  = (real)z[width * i + k];
    to[k] = per * (res[NV * i + k] - res0[NV * i + k]);
  }
  N(newton_time)(q + NV * i, low_mach + 2 * m, T[i] / (real)cfl[m], d, to);
  for (i32 k = 0; k < NV; k++) w[width * i + k] = (f32)to[k];
}

/* Length of the step: a where |R(x + a z) + a T z / CFL| is low enough, half of it where not, none below `least`. */
#define NEWTON_SEARCH(F)              \
  F(in, i32, member, "nodes>members") \
  NEWTON_TIMES(F)                     \
  F(opt, real, beside, "nodes")       \
  F(opt, real, T_beside, "nodes")     \
  F(opt, f64, scale, "members")       \
  F(in, f64, weight, "members")       \
  F(in, f64, size, "members")         \
  F(val, f64, least, "")              \
  TOTALS(F, "nodes")                  \
  F(upd, f64, parts, "groups,1")      \
  F(rw, i32, active, "members")       \
  F(rw, f64, share, "members")        \
  F(rw, f64, length, "members")
TOTAL(N(newton_search), NEWTON_SEARCH, sum, 1, active[m])
{
  const i32  m = member[i];
  const real a = (real)share[m], per = a / (real)cfl[m];
  real       d[NV], to[NV];
  for (i32 k = 0; k < NV; k++) d[k] = (real)z[width * i + k], to[k] = res[NV * i + k];
  N(newton_time)(q + NV * i, low_mach + 2 * m, per * T[i], d, to);
  for (i32 k = 0; k < NV; k++) s[0] += (f64)to[k] * (f64)to[k];
  if (!beside) return;
  const f64 more = weight[m] * (f64)(beside[i] + per * T_beside[i] * (real)scale[m] * (real)z[width * i + NV]);
  s[0] += more * more;
}
OF_MEMBER(N(newton_search), NEWTON_SEARCH)
{
  if (sqrt(s[0]) <= (1 - 1e-4 * share[m]) * size[m]) {
    active[m] = 0, length[m] = share[m];
    return;
  }
  share[m] *= 0.5;
  if (share[m] < least) active[m] = 0;
}

/* Share e of z in a product: no number of a node changes by more than 1e-5 of the least of 1, density and gamma
 * times pressure there, so that a node near vacuum keeps both positive.                            */
#define NEWTON_MOST(F)              \
  F(in, real, u0, "nodes," STR(NV)) \
  F(in, f32, z, "nodes,width")      \
  F(size, i32, width, "width")      \
  F(in, i32, active, "members")     \
  TOTALS(F, "nodes")                \
  F(upd, f64, parts, "groups,1")    \
  F(rw, f64, share, "members")
TOTAL(N(newton_most), NEWTON_MOST, max, 1, active[m])
{
  real from[NV], own[NV];
  f64  most = 0;
  N(state_load)(u0 + NV * i, from);
  N(gas_primitive)(from, own);
  const f64 least = fmin(fmin((f64)own[DENSITY], (f64)(GAMMA * own[PRESSURE])), (f64)1);
  for (i32 k = width * i; k < width * (i + 1); k++) most = OP_max(most, fabs((f64)z[k]));
  s[0] = OP_max(s[0], most / least);
}
OF_MEMBER(N(newton_most), NEWTON_MOST)
{
  if (s[0] > 0) share[m] = fmin(share[m], 1e-5 / s[0]);
}

/* Density and pressure change by at most `most` of themselves, node by node. */
#define NEWTON_BOUND(F)             \
  NEWTON_NODES(F)                   \
  F(in, real, u0, "nodes," STR(NV)) \
  F(val, real, most, "")            \
  F(size, i32, width, "width")      \
  F(rw, f32, z, "nodes,width")
KERNEL(N(newton_bound), NEWTON_BOUND, indirect)
{
  if (!active[member[i]]) return;
  real from[NV], own[NV], d[NV];
  N(state_load)(u0 + NV * i, from);
  for (i32 k = 0; k < NV; k++) d[k] = (real)z[width * i + k];
  N(gas_primitive)(from, own);
  const real share = N(update_share)(from, own, d, most);
  for (i32 k = 0; k < NV; k++) z[width * i + k] = (f32)(share * d[k]);
}
