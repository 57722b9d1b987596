/* rows.h - what follows from who is solved for, and what is known of whole members (docs/overset.md). */

/* Rows by the status of a node: whether its velocity is given (momentum), whether its dual is left
 * open (pressure), and how much its faces trust their memory. */
#define OVERSET_ROWS(F)                                                 \
  F(in, i32, status, "nodes")                                           \
  F(in, i32, other, "nodes") /* in a cell of another part with walls */ \
  F(in, i32, fixed, "nodes") /* velocity given by the boundary */       \
  F(in, i32, open, "nodes")                                             \
  F(in, real, bound, "nodes") /* trust without other bodies */          \
  F(out, i32, given, "nodes")                                           \
  F(out, i32, loose, "nodes")                                           \
  F(out, real, trust, "nodes")
KERNEL(overset_rows, OVERSET_ROWS, direct)
{
  given[i] = fixed[i] || status[i] != FIELD;
  loose[i] = open[i] || status[i] != FIELD;
  trust[i] = other[i] ? 0 : bound[i];
}

#define EXCHANGE_TAKE_PRESSURE(F)     \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, i32, status, "nodes")         \
  F(in, f64, next, "nodes")           \
  F(rw, f64, p, "nodes")
KERNEL(exchange_take_pressure, EXCHANGE_TAKE_PRESSURE, indirect)
{
  if (active[member[i]] && status[i] != FIELD) p[i] = next[i];
}

/* Members without an open boundary, over field nodes: the mean of p + phi, and what the duals leave over
 * per volume, which phi's own mean tells (composite.h). */
#define OVERSET_LEVEL(F)         \
  F(in, f64, change, "nodes,1")  \
  F(in, f64, p, "nodes")         \
  F(in, f64, V, "nodes")         \
  F(in, i32, status, "nodes")    \
  F(in, i32, active, "members")  \
  F(in, f64, stiff, "members")   \
  F(in, f64, bdf, "members,3")   \
  TOTALS(F, "nodes")             \
  F(upd, f64, parts, "groups,3") \
  F(rw, f64, mean, "members")    \
  F(rw, f64, defect, "members")
TOTAL(overset_level, OVERSET_LEVEL, sum, 3, active[m])
{
  if (status[i] != FIELD) return;
  s[0] += V[i] * change[i];
  s[1] += V[i] * p[i];
  s[2] += V[i];
}
OF_MEMBER(overset_level, OVERSET_LEVEL)
{
  if (!(stiff[m] > 0)) return;
  mean[m]   = (s[0] + s[1]) / s[2];
  defect[m] = -stiff[m] * s[0] / bdf[3 * m];
}

/* What flows out through the outer boundary, its duals being closed [U chord]; net: through their edges. */
#define OVERSET_LEAK(F)          \
  F(in, f64, net, "nodes")       \
  F(in, i32, outer, "nodes")     \
  F(in, i32, active, "members")  \
  TOTALS(F, "nodes")             \
  F(upd, f64, parts, "groups,1") \
  F(out, f64, leak, "members")
TOTAL(overset_leak, OVERSET_LEAK, sum, 1, active[m])
{
  if (outer[i]) s[0] -= net[i];
}
OF_MEMBER(overset_leak, OVERSET_LEAK)
{
  leak[m] = s[0];
}
