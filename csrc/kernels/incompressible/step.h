/* step.h - what a physical step begins and ends with (docs/theory.md, section 7): time levels and
 * extrapolation, predicted volume fluxes, their divergence, correction by a pressure. */

/* The time levels move on by one. */
#define INC_LEVELS(F)                 \
  F(in, real, u, "nodes," STR(DIM))   \
  F(rw, real, u1, "nodes," STR(DIM))  \
  F(out, real, u2, "nodes," STR(DIM)) \
  F(in, f64, p, "nodes")              \
  F(rw, f64, p1, "nodes")             \
  F(out, f64, p2, "nodes")
KERNEL(N(inc_levels), INC_LEVELS, indirect)
{
  for (i32 k = DIM * i; k < DIM * (i + 1); k++) u2[k] = u1[k], u1[k] = u[k];
  p2[i] = p1[i], p1[i] = p[i];
}

/* What the last two levels point to; weights: of velocities, and of the pressure's last change. */
#define INC_EXTRAPOLATE(F)            \
  F(in, i32, member, "nodes>members") \
  F(in, f64, weights, "3")            \
  F(in, f64, share, "members")        \
  F(in, real, u1, "nodes," STR(DIM))  \
  F(in, real, u2, "nodes," STR(DIM))  \
  F(in, f64, p1, "nodes")             \
  F(in, f64, p2, "nodes")             \
  F(out, real, u, "nodes," STR(DIM))  \
  F(out, f64, p, "nodes")
KERNEL(N(inc_extrapolate), INC_EXTRAPOLATE, indirect)
{
  const real a = (real)weights[0], b = (real)weights[1];
  for (i32 k = DIM * i; k < DIM * (i + 1); k++) u[k] = a * u1[k] + b * u2[k];
  p[i] = p1[i] + weights[2] * share[member[i]] * (p1[i] - p2[i]);
}

/* Derivative through a facet of what has the gradient g in its cell, and grows by `jump` along the edge d (eq. 7.3). */
HD real N(facet_through)(const struct N(facet) * f, const real *g, const real *d, real jump)
{
  if (f->simple) return N(vec_dot)(g, f->S);
  return N(facet_derivative)(g, f->S, d, N(facet_friction)(f->S, d), jump);
}

/* Volume flux of interpolated velocities through an edge: sum of ubar.S over its facets. */
#define INC_MEAN(F)                   \
  FACETS(F)                           \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(near, real, u, "nodes," STR(DIM)) \
  F(in, real, slope, "cells," STR(ND))
HD real N(inc_mean)(const i32 i INC_MEAN(PARAM))
{
  real sum = 0;
  for (i32 e = FACETS_FROM(i); e < FACETS_TO(i); e++) {
    struct N(facet) f;
    const i32 c = N(facet_of)(i, e, &f FACETS(NAME));
    if (c >= 0) sum += N(facet_brings)(u, slope + ND * c, lr[2 * i], lr[2 * i + 1], &f);
  }
  return sum;
}

#define INC_MEAN_FLOW(F) \
  INC_MEAN(F)            \
  F(out, real, flow, "edges")
KERNEL(N(inc_mean_flow), INC_MEAN_FLOW, indirect)
{
  if (active[member[lr[2 * i]]]) flow[i] = N(inc_mean)(i INC_MEAN(NAME));
}

/* Sums over the facets of an edge: its mean flow, and the derivative of a pressure. */
#define INC_PRESSURE(F)    \
  F(near, f64, p, "nodes") \
  F(in, real, pull, "cells," STR(DIM)) /* p's gradient in the cells */
HD real N(inc_both)(const i32 i, real *through INC_MEAN(PARAM) INC_PRESSURE(PARAM))
{
  const i32  a = lr[2 * i], b = lr[2 * i + 1];
  const real jump = (real)(p[b] - p[a]);
  real       d[DIM], sum = 0;
  N(fit_apart)(x, a, b, d);
  *through = 0;
  for (i32 e = FACETS_FROM(i); e < FACETS_TO(i); e++) {
    struct N(facet) f;
    const i32 c = N(facet_of)(i, e, &f FACETS(NAME));
    if (c < 0) continue;
    sum += N(facet_brings)(u, slope + ND * c, a, b, &f);
    *through += N(facet_through)(&f, pull + DIM * c, d, jump);
  }
  return sum;
}

#define INC_OVERSET(F)              \
  F(opt_near, i32, status, "nodes") \
  F(opt_near, real, trust, "nodes")

/* Predicted volume fluxes: interpolated velocities, and at the face the momentum equation of what they
 * leave out, with its memory (eq. 7.7). */
#define INC_PREDICT(F)                   \
  INC_MEAN(F)                            \
  INC_PRESSURE(F)                        \
  F(near, real, push, "nodes," STR(DIM)) \
  F(in, real, S, "edges," STR(DIM))      \
  F(near, real, fading, "nodes")         \
  F(in, real, memory1, "edges")          \
  F(in, real, memory2, "edges")          \
  F(in, f64, bdf, "members,3")           \
  INC_OVERSET(F)                         \
  F(out, real, flow, "edges")
KERNEL(N(inc_predict), INC_PREDICT, indirect)
{
  const i32  a = lr[2 * i], b = lr[2 * i + 1], m = member[a];
  const f64 *c = bdf + 3 * m;
  if (!active[m]) return;
  real       through, push_e[DIM];
  const real mean = N(inc_both)(i, &through INC_MEAN(NAME) INC_PRESSURE(NAME));
  if (!edge_solved(status, a, b)) {
    flow[i] = mean;
    return;
  }
  for (i32 k = 0; k < DIM; k++) push_e[k] = R(0.5) * (push[DIM * a + k] + push[DIM * b + k]);
  const real less = N(vec_dot)(push_e, S + DIM * i) - through;
  const real past = (real)c[1] * memory1[i] + (real)c[2] * memory2[i], share = edge_trust(trust, a, b);
  const real kept = N(face_mobility)((real)c[0], R(0.5) * (fading[a] + fading[b]));
  flow[i]         = mean + (share == 1 ? kept : share * kept + (1 - share) / (real)c[0]) * (less - past);
}

/* u = u* - G(phi) / c0 where u is not given, p = p* + phi. */
#define INC_CORRECT(F)                 \
  F(in, i32, member, "nodes>members")  \
  F(in, i32, active, "members")        \
  F(in, i32, given, "nodes")           \
  F(in, real, push, "nodes," STR(DIM)) \
  F(in, f64, phi, "nodes")             \
  F(in, f64, bdf, "members,3")         \
  F(rw, real, u, "nodes," STR(DIM))    \
  F(rw, f64, p, "nodes")
KERNEL(N(inc_correct), INC_CORRECT, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real per = (real)(1 / bdf[3 * m]);
  for (i32 k = DIM * i; k < DIM * (i + 1) && !given[i]; k++) u[k] -= per * push[k];
  p[i] += phi[i];
}

/* U = U* - (grad phi.S) / c0, and what interpolated velocities leave out of it is the face's memory; p: phi. */
#define INC_CORRECT_FLOW(F)    \
  INC_MEAN(F)                  \
  INC_PRESSURE(F)              \
  F(in, f64, bdf, "members,3") \
  INC_OVERSET(F)               \
  F(rw, real, flow, "edges")   \
  F(out, real, memory, "edges")
KERNEL(N(inc_correct_flow), INC_CORRECT_FLOW, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1], m = member[a];
  if (!active[m]) return;
  real       through;
  const real mean = N(inc_both)(i, &through INC_MEAN(NAME) INC_PRESSURE(NAME));
  flow[i]         = edge_solved(status, a, b) ? flow[i] - (real)(1 / bdf[3 * m]) * through : mean;
  memory[i]       = edge_trust(trust, a, b) * (flow[i] - mean);
}

/* Largest divergence |net| / h of the closed duals [U], and the largest rate at which a flow passes one,
 * sum of |Phi| / 2 V [U / chord]: times a time step it is the CFL number. */
#define INC_CLOSURE(F)           \
  F(in, f64, net, "nodes")       \
  F(in, f64, V, "nodes")         \
  F(in, i32, open, "nodes")      \
  F(in, real, fading, "nodes")   \
  F(in, i32, active, "members")  \
  TOTALS(F, "nodes")             \
  F(upd, f64, parts, "groups,2") \
  F(out, f64, closure, "members,2")
TOTAL(N(inc_closure), INC_CLOSURE, max, 2, active[m])
{
  const f64 here = open[i] ? 0 : fabs(net[i]) / FACE_SIZE(V[i]), rate = open[i] ? 0 : (f64)fading[i];
  s[0] = OP_max(s[0], here);
  s[1] = OP_max(s[1], rate);
}
OF_MEMBER(N(inc_closure), INC_CLOSURE)
{
  closure[2 * m] = s[0], closure[2 * m + 1] = s[1];
}
