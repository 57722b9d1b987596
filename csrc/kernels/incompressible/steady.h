/* steady.h - an iteration of the march to a steady flow (docs/theory.md, section 7.7): how fast each node
 * goes, how the pressure follows what flows out of duals, and who goes on. */

/* The largest coupling of a cell's corners, with their pace and without. */
HD void N(slowest)(const real *coupling, const real *fading, real pace, const i32 *k, i32 corners, real *slow,
                   real *fast)
{
  for (i32 v = 0; v < corners && k[v] >= 0; v++) {
    *slow = larger(*slow, coupling[k[v]] + pace * fading[k[v]]);
    *fast = larger(*fast, coupling[k[v]]);
  }
}

/* Mobilities of a cell, the inverse of the largest of its corners' coupling, with their pace and without
 * [chord/U] (eq. 7.12a). */
#define INC_MOBILITY(F)            \
  INC_CELL(F)                      \
  F(near, real, fading, "nodes")   \
  F(near, real, coupling, "nodes") \
  F(in, f64, cfl, "members")       \
  F(out, real, mobility, "cells,2")
KERNEL(N(inc_mobility), INC_MOBILITY, indirect)
{
  if (!active[member[i]]) return;
  real slow = 0, fast = 0;
  N(slowest)(coupling, fading, (real)(1 / cfl[member[i]]), CELL_OF(i), &slow, &fast);
  mobility[2 * i]     = 1 / slow;
  mobility[2 * i + 1] = 1 / fast;
}

/* Gradient of the pressure at a node, the mean of its cells' by their parts in its dual times their mobilities:
 * what faces damp by its difference from the cells' own cannot grow, however much mobilities differ. */
#define INC_NODE_DRIFT(F)               \
  INC_NODE(F)                           \
  F(in, real, slope, "cells," STR(DIM)) \
  F(in, real, mobility, "cells,2")      \
  F(out, real, push, "nodes," STR(DIM))
LANES(N(inc_node_drift), INC_NODE_DRIFT, indirect, DIM)
{
  if (!active[member[i]]) return;
  real s[WIDTH(DIM)], whole = 0;
  for (i32 k = 0; k < WIDTH(DIM); k++) s[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const real weight = portion[e] * mobility[2 * cell[e] + 1];
    whole += weight;
    for (i32 k = 0; k < WIDTH(DIM); k++) s[k] += weight * slope[DIM * cell[e] + lane + k];
  }
  for (i32 k = 0; k < WIDTH(DIM); k++) push[DIM * i + lane + k] = s[k] / whole;
}

/* Fluxes of a steady flow, `still`: interpolated velocities, and mobilities times what nodes' gradients of the
 * pressure, interpolated alike, have above that at the face (eq. 7.12a); tilt: slopes of push in the cells.  And
 * fluxes of an iteration, which a facet's memory of the last one holds back at the pace of its cell. */
#define INC_STEADY_PREDICT(F)            \
  INC_MEAN(F)                            \
  INC_PRESSURE(F)                        \
  F(in, i32, iterations, "members")      \
  F(near, real, push, "nodes," STR(DIM)) \
  F(in, real, tilt, "cells," STR(ND))    \
  F(in, real, mobility, "cells,2")       \
  F(opt_near, i32, status, "nodes")      \
  F(rw, real, held, FACET_ENTRIES)       \
  F(out, real, still, "edges")           \
  F(out, real, flow, "edges")
KERNEL(N(inc_steady_predict), INC_STEADY_PREDICT, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1], solved = edge_solved(status, a, b);
  if (!active[member[a]]) return;
  const real jump = (real)(p[b] - p[a]);
  real       d[DIM], flows = 0, sum = 0;
  N(fit_apart)(x, a, b, d);
  for (i32 e = FACETS_FROM(i); e < FACETS_TO(i); e++) {
    struct N(facet) f;
    const i32 c = N(facet_of)(i, e, &f FACETS(NAME));
    if (c < 0) continue;
    const real mean = N(facet_brings)(u, slope + ND * c, a, b, &f), slow = mobility[2 * c], fast = mobility[2 * c + 1];
    const real through = N(facet_through)(&f, pull + DIM * c, d, jump);
    const real less    = solved ? N(facet_brings)(push, tilt + ND * c, a, b, &f) - through : 0;
    const real past    = iterations[member[a]] > 1 ? held[e] : fast * less;
    held[e]            = mean + slow * less + (1 - slow / fast) * past;
    flows += held[e], sum += mean + fast * less;
  }
  flow[i] = flows, still[i] = sum;
}

/* Memory of a facet: its flux, less the gradient of psi, less interpolated velocities; p: psi. */
#define INC_STEADY_HOLD(F)          \
  INC_MEAN(F)                       \
  INC_PRESSURE(F)                   \
  F(opt_near, i32, status, "nodes") \
  F(rw, real, held, FACET_ENTRIES)
KERNEL(N(inc_steady_hold), INC_STEADY_HOLD, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1], solved = edge_solved(status, a, b);
  if (!active[member[a]]) return;
  const real jump = (real)(p[b] - p[a]);
  real       d[DIM];
  N(fit_apart)(x, a, b, d);
  for (i32 e = FACETS_FROM(i); e < FACETS_TO(i); e++) {
    struct N(facet) f;
    const i32 c = N(facet_of)(i, e, &f FACETS(NAME));
    if (c < 0) continue;
    const real through = N(facet_through)(&f, pull + DIM * c, d, jump);
    const real left    = held[e] - through - N(facet_brings)(u, slope + ND * c, a, b, &f);
    held[e]            = solved ? left : 0;
  }
}

/* Mean over a cell's corners of a share of their fading, at most that of the graded time. */
HD real N(mean_rate)(const real *fading, const real *graded, real pace, real most, const i32 *k, i32 corners)
{
  real rate = 0;
  i32  v    = 0;
  for (; v < corners && k[v] >= 0; v++) rate += smaller(pace * fading[k[v]], most / graded[k[v]]);
  return rate / (real)v;
}

/* Drive of the pressure by inertia through an edge: over its facets the sum of b (grad psi.S), psi the potential whose
 * gradient velocities lose, b the mean over a cell's corners of share a / (CFL + 2), at most limit (1 + 1 / CFL) /
 * graded (eq. 7.14); p: psi. */
#define INC_DRIVE(F)                  \
  FACETS(F)                           \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  INC_PRESSURE(F)                     \
  F(near, real, fading, "nodes")      \
  F(near, real, graded, "nodes")      \
  F(in, f64, cfl, "members")          \
  F(val, f64, share, "")              \
  F(val, f64, limit, "")              \
  F(out, real, flow, "edges")
KERNEL(N(inc_drive), INC_DRIVE, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1], m = member[a];
  if (!active[m]) return;
  const real jump = (real)(p[b] - p[a]), pace = (real)(share / (cfl[m] + 2)), most = (real)(limit * (1 + 1 / cfl[m]));
  real       d[DIM], sum = 0;
  N(fit_apart)(x, a, b, d);
  for (i32 e = FACETS_FROM(i); e < FACETS_TO(i); e++) {
    struct N(facet) f;
    const i32 c = N(facet_of)(i, e, &f FACETS(NAME));
    if (c < 0) continue;
    sum += N(mean_rate)(fading, graded, pace, most, CELL_OF(c)) * N(facet_through)(&f, pull + DIM * c, d, jump);
  }
  flow[i] = sum;
}

/* Norm of what the steady equations leave over, momentum where it is not given and continuity where the boundary
 * is not open (eq. 7.12), and what follows: drop, count, CFL number.  That falls by 0.6 where the norm is above
 * twice its running mean, and slowly where the mean over some 10 iterations is no longer below that over 50.
 * The first iteration has no fluxes yet, so the drop refers to the larger one of the first two. */
#define INC_STEADY_CHECK(F)                                                 \
  F(in, real, res, "nodes," STR(DIM))                                       \
  F(in, f64, net, "nodes")                                                  \
  F(in, f64, V, "nodes")                                                    \
  F(in, f64, defect, "members")                                             \
  F(in, i32, member, "nodes>members")                                       \
  F(in, i32, given, "nodes")                                                \
  F(in, i32, open, "nodes")                                                 \
  TOTALS(F, "nodes")                                                        \
  F(upd, f64, parts, "groups,1")                                            \
  F(inc, u64, faults, "members")                                            \
  F(in, f64, floor, "members") /* norm below which a residual is nothing */ \
  F(val, f64, drop, "")        /* norm over base at which to stop */        \
  F(val, i32, most, "")        /* iterations allowed */                     \
  F(val, f64, asked, "")       /* CFL number where nothing is against it */ \
  F(val, i32, before, "")      /* iterations before a first cycle */        \
  F(val, i32, every, "")       /* see inc_reduced_rank.h */                 \
  F(rw, i32, active, "members")                                             \
  F(rw, i32, iterations, "members")                                         \
  F(rw, f64, base, "members")                                               \
  F(rw, f64, cfl, "members")                                                \
  F(rw, f64, ceiling, "members") /* of the CFL number */                    \
  F(rw, f64, means, "members,2") /* of the norm's logarithm */              \
  F(rw, i32, begun, "members")                                              \
  F(out, f64, norm, "members")
TOTAL(N(inc_steady_check), INC_STEADY_CHECK, sum, 1, active[m])
{
  const f64 out = open[i] ? 0 : net[i] - defect[member[i]] * V[i];
  for (i32 k = 0; k < DIM && !given[i]; k++) s[0] += (f64)res[DIM * i + k] * (f64)res[DIM * i + k];
  s[0] += out * out;
}
OF_MEMBER(N(inc_steady_check), INC_STEADY_CHECK)
{
  norm[m] = sqrt(s[0]);
  if (iterations[m] <= 1) base[m] = fmax(iterations[m] ? base[m] : 0, norm[m]);
  if (!(norm[m] <= fmin(1e5 * fmax(base[m], floor[m]), (f64)1e300))) fault(&faults[m], FAULT_DIVERGED, 0);
  if (norm[m] <= drop * base[m] || norm[m] <= floor[m] || iterations[m] >= most || faults[m] != ~(u64)0) {
    active[m] = 0; /* all that follows is as it was: a march that goes on from here looks again */
    return;
  }
  const f64 level = log(fmax(norm[m], (f64)1e-300)), rise = level - means[2 * m], slow = level - means[2 * m + 1];
  const i32 first = iterations[m] == 0, stalls = iterations[m] > 100 && means[2 * m] > means[2 * m + 1] - 0.05;
  const f64 share  = rise > 0.7 ? 0.6 : stalls ? 0.98 : 1.02;
  ceiling[m]       = first ? asked : rise > 0.7 ? 0.6 * cfl[m] : fmin(1.005 * ceiling[m], asked);
  cfl[m]           = first ? asked : fmax(fmin(share * cfl[m], ceiling[m]), asked / 30);
  means[2 * m]     = first ? level : means[2 * m] + 0.1 * rise;
  means[2 * m + 1] = first ? level : means[2 * m + 1] + 0.02 * slow;
  begun[m]         = rise > 0.7 || iterations[m] < before ? 0 : begun[m] > every ? 1 : begun[m] + 1;
  iterations[m]++;
}
