/* volumes.h - what a physical step and an iteration of a march do at nodes and edges whatever the dimension
 * (docs/theory.md, section 7). */

#define INC_FLOW_LEVELS(F)      \
  F(in, real, flow, "edges")    \
  F(rw, real, flow1, "edges")   \
  F(out, real, flow2, "edges")  \
  F(in, real, memory, "edges")  \
  F(rw, real, memory1, "edges") \
  F(out, real, memory2, "edges")
KERNEL(inc_flow_levels, INC_FLOW_LEVELS, direct)
{
  flow2[i] = flow1[i], flow1[i] = flow[i];
  memory2[i] = memory1[i], memory1[i] = memory[i];
}

#define INC_EXTRAPOLATE_FLOW(F) \
  F(in, f64, weights, "3")      \
  F(in, real, flow1, "edges")   \
  F(in, real, flow2, "edges")   \
  F(out, real, flow, "edges")
KERNEL(inc_extrapolate_flow, INC_EXTRAPOLATE_FLOW, direct)
{
  flow[i] = (real)weights[0] * flow1[i] + (real)weights[1] * flow2[i];
}

/* a = sum of |Phi| over 2 V: how fast a face forgets [U / chord]. */
#define INC_FADING(F)                     \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, edge, "entries>edges")       \
  F(in, real, flow, "edges")              \
  F(in, real, w, "edges")                 \
  F(in, f64, V, "nodes")                  \
  F(out, real, fading, "nodes")
KERNEL(inc_fading, INC_FADING, indirect)
{
  if (!active[member[i]]) return;
  real sum = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) sum += fabs(flow[edge[e]] - w[edge[e]]);
  fading[i] = R(0.5) * sum / (real)V[i];
}

/* Share of the pressure's last change that a member's step begins with (eq. 7.9a): 1 where inertia leads, down to
 * 3/4 where flow or friction couple some node to its neighbours much harder than that, or the turn of a grid most
 * nodes (eq. 7.9b). */
#define INC_SHARE(F)                    \
  F(in, i32, member, "nodes>members")   \
  F(in, i32, open, "nodes")             \
  F(in, f64, viscosity, "members")      \
  F(in, f64, bdf, "members,3")          \
  F(in, f64, V, "nodes")                \
  F(in, f64, friction, "nodes") /* D */ \
  F(in, real, fading, "nodes")          \
  F(in, f64, turning, "members")        \
  F(in, i32, active, "members")         \
  TOTALS(F, "nodes")                    \
  F(upd, f64, parts, "groups,1")        \
  F(out, f64, share, "members")
TOTAL(inc_share, INC_SHARE, max, 1, active[m])
{
  const f64 forgets = 8 * (f64)fading[i] + viscosity[member[i]] * friction[i] / V[i];
  s[0]              = OP_max(s[0], open[i] ? 0 : forgets / bdf[3 * member[i]]);
}
OF_MEMBER(inc_share, INC_SHARE)
{
  const f64 most = OP_max(s[0], turning[m]), square = most * most / (20.0 * 20.0), four = square * square;
  share[m] = 1 - 0.25 * four / (1 + four);
}

/* 1 where the dual of an end of an edge is solved for; status: of overset grids (kernels/overset/status.h). */
HD i32 edge_solved(const i32 *status, i32 a, i32 b)
{
  return !status || status[a] == 1 || status[b] == 1;
}

/* How much an edge trusts its memory: as the end that trusts it less, all of it where there are no parts. */
HD real edge_trust(const real *trust, i32 a, i32 b)
{
  return trust ? smaller(trust[a], trust[b]) : R(1);
}

/* Flow out of a node's dual through its edges. */
#define INC_DIVERGENCE(F)                 \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, edge, "entries>edges")       \
  F(in, real, flow, "edges")              \
  F(out, f64, net, "nodes")
KERNEL(inc_divergence, INC_DIVERGENCE, indirect)
{
  if (!active[member[i]]) return;
  f64 sum = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) sum += (neighbour[e] > i ? 1 : -1) * (f64)flow[edge[e]];
  net[i] = sum;
}

/* Rest of the flow that the closed duals of each member leave, per volume; spread where no boundary is open. */
#define INC_DEFECT(F)            \
  F(in, f64, net, "nodes")       \
  F(in, f64, V, "nodes")         \
  F(in, i32, active, "members")  \
  F(in, i32, closed, "members")  \
  TOTALS(F, "nodes")             \
  F(upd, f64, parts, "groups,2") \
  F(out, f64, defect, "members")
TOTAL(inc_defect, INC_DEFECT, sum, 2, active[m])
{
  s[0] += net[i];
  s[1] += V[i];
}
OF_MEMBER(inc_defect, INC_DEFECT)
{
  defect[m] = closed[m] ? s[0] / s[1] : 0;
}

/* Side of the pressure's equation, scaled by the diagonal of -Laplacian: -c0 (net - defect V) / D. */
#define INC_PRESSURE_SIDE(F)            \
  F(in, i32, member, "nodes>members")   \
  F(in, i32, active, "members")         \
  F(in, i32, open, "nodes")             \
  F(in, f64, net, "nodes")              \
  F(in, f64, V, "nodes")                \
  F(in, f64, defect, "members")         \
  F(in, f64, friction, "nodes") /* D */ \
  F(in, f64, bdf, "members,3")          \
  F(out, f64, side, "nodes,1")
KERNEL(inc_pressure_side, INC_PRESSURE_SIDE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  side[i] = open[i] ? 0 : -bdf[3 * m] * (net[i] - defect[m] * V[i]) / friction[i];
}

/* phi from its solution, less its mean in a member without an open boundary; of overset parts over field nodes. */
#define INC_MEAN_PRESSURE(F)     \
  F(in, f64, change, "nodes,1")  \
  F(in, f64, V, "nodes")         \
  F(opt, i32, status, "nodes")   \
  F(in, i32, active, "members")  \
  F(in, i32, closed, "members")  \
  TOTALS(F, "nodes")             \
  F(upd, f64, parts, "groups,2") \
  F(out, f64, mean, "members")
TOTAL(inc_mean_pressure, INC_MEAN_PRESSURE, sum, 2, active[m])
{
  if (status && status[i] != 1) return;
  s[0] += V[i] * change[i];
  s[1] += V[i];
}
OF_MEMBER(inc_mean_pressure, INC_MEAN_PRESSURE)
{
  mean[m] = closed[m] ? s[0] / s[1] : 0;
}

#define INC_LEVEL_PRESSURE(F)         \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, f64, change, "nodes,1")       \
  F(in, f64, mean, "members")         \
  F(out, f64, phi, "nodes")
KERNEL(inc_level_pressure, INC_LEVEL_PRESSURE, indirect)
{
  if (active[member[i]]) phi[i] = change[i] - mean[member[i]];
}

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
