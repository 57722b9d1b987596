/* steady.h - an iteration of the march to a steady flow (docs/theory.md, section 7.7): how fast each node
 * goes, how the pressure follows what flows out of duals, and who goes on. */

/* Pace V a / CFL of a node (eq. 7.13) [U chord], a the rate at which flow passes it, and how hard flow and friction
 * couple it to its neighbours, a + nu D / V [U/chord]. */
#define INC_PACE(F)                     \
  F(in, i32, member, "nodes>members")   \
  F(in, i32, active, "members")         \
  F(in, f64, V, "nodes")                \
  F(in, f64, friction, "nodes") /* D */ \
  F(in, f64, viscosity, "members")      \
  F(in, f64, cfl, "members")            \
  F(in, real, fading, "nodes") /* a */  \
  F(out, f64, pace, "nodes")            \
  F(out, real, coupling, "nodes")
KERNEL(inc_pace, INC_PACE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  pace[i]     = V[i] * (f64)fading[i] / cfl[m];
  coupling[i] = fading[i] + (real)(viscosity[m] * friction[i] / V[i]);
}

/* Time by which pressures follow at a node: the inverse of its own coupling, or that of a neighbour less grading times
 * the shorter one of both, if that is longer (eq. 7.14a); a sweep of neighbours. */
#define INC_GRADED(F)                     \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(opt_near, i32, status, "nodes")       \
  F(near, real, coupling, "nodes")        \
  F(val, f64, grading, "")                \
  F(near, real, last, "nodes")            \
  F(out, real, graded, "nodes")
KERNEL(inc_graded, INC_GRADED, indirect)
{
  if (!active[member[i]]) return;
  const real own  = 1 / coupling[i];
  real       time = own;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32 j = neighbour[e];
    if (!status || status[j] == 1) time = larger(time, last[j] - (real)grading * smaller(own, 1 / coupling[j]));
  }
  graded[i] = time;
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
  const i32 *k    = corners + CORNERS * i;
  const real pace = (real)(1 / cfl[member[i]]);
  real       slow = 0, fast = 0;
  for (i32 v = 0; v < CORNERS && k[v] >= 0; v++) {
    slow = larger(slow, coupling[k[v]] + pace * fading[k[v]]);
    fast = larger(fast, coupling[k[v]]);
  }
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
  F(rw, real, held, "edges," STR(SIDES)) \
  F(out, real, still, "edges")           \
  F(out, real, flow, "edges")
KERNEL(N(inc_steady_predict), INC_STEADY_PREDICT, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1], solved = edge_solved(status, a, b);
  if (!active[member[a]]) return;
  const real jump = (real)(p[b] - p[a]);
  real       d[DIM], flows = 0, sum = 0;
  N(fit_apart)(x, a, b, d);
  for (i32 side = 0; side < SIDES; side++) {
    struct facet f;
    const i32    c = facet_of(i, side, x, lr, cells_of_edge, corners, &f);
    if (c < 0) continue;
    const real mean = N(facet_brings)(u, slope + ND * c, a, b, &f), slow = mobility[2 * c], fast = mobility[2 * c + 1];
    const real through     = N(facet_through)(&f, pull + DIM * c, d, jump);
    const real less        = solved ? N(facet_brings)(push, tilt + ND * c, a, b, &f) - through : 0;
    const real past        = iterations[member[a]] > 1 ? held[SIDES * i + side] : fast * less;
    held[SIDES * i + side] = mean + slow * less + (1 - slow / fast) * past;
    flows += held[SIDES * i + side], sum += mean + fast * less;
  }
  flow[i] = flows, still[i] = sum;
}

/* Memory of a facet: its flux, less the gradient of psi, less interpolated velocities; p: psi. */
#define INC_STEADY_HOLD(F)          \
  INC_MEAN(F)                       \
  INC_PRESSURE(F)                   \
  F(opt_near, i32, status, "nodes") \
  F(rw, real, held, "edges," STR(SIDES))
KERNEL(N(inc_steady_hold), INC_STEADY_HOLD, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1], solved = edge_solved(status, a, b);
  if (!active[member[a]]) return;
  const real jump = (real)(p[b] - p[a]);
  real       d[DIM];
  N(fit_apart)(x, a, b, d);
  for (i32 side = 0; side < SIDES; side++) {
    struct facet f;
    const i32    c = facet_of(i, side, x, lr, cells_of_edge, corners, &f);
    if (c < 0) continue;
    const real through     = N(facet_through)(&f, pull + DIM * c, d, jump);
    const real left        = held[SIDES * i + side] - through - N(facet_brings)(u, slope + ND * c, a, b, &f);
    held[SIDES * i + side] = solved ? left : 0;
  }
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
  for (i32 side = 0; side < SIDES; side++) {
    struct facet f;
    const i32    c = facet_of(i, side, x, lr, cells_of_edge, corners, &f);
    if (c < 0) continue;
    const i32 *at   = corners + CORNERS * c;
    real       rate = 0;
    i32        k    = 0;
    for (; k < CORNERS && at[k] >= 0; k++) rate += smaller(pace * fading[at[k]], most / graded[at[k]]);
    sum += rate / (real)k * N(facet_through)(&f, pull + DIM * c, d, jump);
  }
  flow[i] = sum;
}

/* The change of the pressure: a share of what drives it by inertia, which is there, less nu (net / V), net what
 * flew out of a dual before, less what a closed member lacks (eq. 7.14). */
#define INC_STEADY_CHANGE(F)          \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, i32, open, "nodes")           \
  F(in, f64, V, "nodes")              \
  F(in, f64, net, "nodes")            \
  F(in, f64, defect, "members")       \
  F(in, f64, viscosity, "members")    \
  F(val, f64, share, "")              \
  F(rw, f64, change, "nodes,1")
KERNEL(inc_steady_change, INC_STEADY_CHANGE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const f64 out = net[i] / V[i] - defect[m];
  change[i]     = open[i] ? 0 : change[i] - share * viscosity[m] * out;
}

#define INC_RAISE_PRESSURE(F)         \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, f64, change, "nodes,1")       \
  F(in, f64, mean, "members")         \
  F(rw, f64, p, "nodes")
KERNEL(inc_raise_pressure, INC_RAISE_PRESSURE, indirect)
{
  if (active[member[i]]) p[i] += change[i] - mean[member[i]];
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
