/* boundary.h - boundaries of incompressible flow (docs/theory.md, section 7.4): velocities that are given,
 * slip, open boundaries, what flows through them, and loads on walls by the reaction. */

#define INC_BNODES(F)                 \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")

/* Velocities of the nodes where they are given. */
#define INC_GIVE(F)                         \
  INC_BNODES(F)                             \
  F(in, i32, given, "nodes")                \
  F(in, real, velocity, "bnodes," STR(DIM)) \
  F(rw, real, u, "nodes," STR(DIM))
KERNEL(N(inc_give), INC_GIVE, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]] || !given[a]) return;
  for (i32 k = 0; k < DIM; k++) u[DIM * a + k] = velocity[DIM * i + k];
}

/* Through the boundary face of a node: what it sweeps; where it is open, also the momentum of the stream
 * that comes in. */
#define INC_PASS(F)                         \
  INC_BNODES(F)                             \
  F(in, i32, open, "nodes")                 \
  F(in, i32, offsets, "nodes+1>>entries")   \
  F(in, i32, neighbour, "entries>nodes")    \
  F(in, i32, edge, "entries>edges")         \
  F(in, real, flow, "edges")                \
  F(in, real, w, "bnodes")                  \
  F(in, real, velocity, "bnodes," STR(DIM)) \
  F(in, real, u, "nodes," STR(DIM))         \
  F(rw, real, res, "nodes," STR(DIM))
KERNEL(N(inc_pass), INC_PASS, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  real in = -w[i];
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) in -= (neighbour[e] > a ? R(1) : R(-1)) * flow[edge[e]];
  in = open[a] ? smaller(in, R(0)) : R(0);
  for (i32 k = 0; k < DIM; k++)
    res[DIM * a + k] += in * (velocity[DIM * i + k] - u[DIM * a + k]) - w[i] * u[DIM * a + k];
}

/* At a node of the boundary: what comes in through it, which leaves its dual through the edges; the pressure; half of
 * the square of the velocity. */
#define INC_THROUGH(F)                    \
  F(in, i32, node, "bnodes>nodes")        \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, edge, "entries>edges")       \
  F(in, real, flow, "edges")              \
  F(in, real, u, "nodes," STR(DIM))       \
  F(in, f64, p, "nodes")                  \
  F(out, f64, through, "bnodes,3")
KERNEL(N(inc_through), INC_THROUGH, indirect)
{
  const i32 a  = node[i];
  f64       in = 0, square = 0;
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) in += (neighbour[e] > a ? 1 : -1) * (f64)flow[edge[e]];
  for (i32 k = 0; k < DIM; k++) square += (f64)u[DIM * a + k] * (f64)u[DIM * a + k];
  through[3 * i]     = in;
  through[3 * i + 1] = p[a];
  through[3 * i + 2] = square / 2;
}

/* Takes from a vector of a node what is normal to a slip wall. */
#define INC_SLIP(F)                  \
  INC_BNODES(F)                      \
  F(in, real, S, "bnodes," STR(DIM)) \
  F(rw, real, vector, "nodes," STR(DIM))
KERNEL(N(inc_slip), INC_SLIP, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real across = N(vec_dot)(vector + DIM * a, S + DIM * i) / N(vec_dot)(S + DIM * i, S + DIM * i);
  for (i32 k = 0; k < DIM; k++) vector[DIM * a + k] -= across * S[DIM * i + k];
}

/* What flows out through the half edges of a boundary node, velocities being linear along them, or that of the
 * node where the edge ends at an open boundary, whose velocity a pressure still changes; nothing through slip
 * walls. */
#define INC_OUTFLOW(F)                \
  INC_BNODES(F)                       \
  F(in, i32, ends, "bnodes,2>nodes?") \
  F(near, i32, open, "nodes")         \
  F(near, f64, x, "nodes," STR(DIM))  \
  F(near, real, u, "nodes," STR(DIM)) \
  F(rw, f64, net, "nodes")
KERNEL(N(inc_outflow), INC_OUTFLOW, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]] || open[a]) return;
  for (i32 side = 0; side < 2; side++) {
    real      S[DIM];
    const i32 e = half_edge(i, side, x, node, ends, S);
    if (e < 0) continue;
    const real *end = u + DIM * (open[e] ? a : e);
    net[a] += (f64)(R(0.75) * N(vec_dot)(u + DIM * a, S) + R(0.25) * N(vec_dot)(end, S));
  }
}

#if DIM == 2
/* Takes from the residual at a wall that turns what is of the turn: the Laplacian has nu du/dn there, and the
 * stress nu (du/dn + grad u . n) is less by the turn itself, nu spin (-S_y, S_x) (eq. 7.9). */
#define INC_SPIN(F)                                                 \
  INC_BNODES(F)                                                     \
  F(in, real, S, "bnodes," STR(DIM))                                \
  F(in, f64, viscosity, "members")                                  \
  F(in, real, spin, "bnodes") /* rate of turn, counter-clockwise */ \
  F(rw, real, res, "nodes," STR(DIM))
KERNEL(inc_spin, INC_SPIN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real turn = (real)viscosity[m] * spin[i];
  res[DIM * a] += turn * S[DIM * i + 1];
  res[DIM * a + 1] -= turn * S[DIM * i];
}
#endif

/* Sums over a wall: force along the first axis, along the last one, nose-up moment about a point (in space
 * about the line along y through it), and in space the force along the span.  Pressures act on area vectors;
 * the residual that is left at the wall's nodes is the stress that the wall takes (eq. 7.9). */
#define INC_FORCES(F)                     \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, member, "nodes>members")     \
  F(in, f64, x, "nodes," STR(DIM))        \
  F(in, real, S, "bnodes," STR(DIM))      \
  F(in, f64, p, "nodes")                  \
  F(in, real, res, "nodes," STR(DIM))     \
  F(in, f64, about, "members,2")          \
  F(in, i32, offsets, "groups+1>>bnodes") \
  F(out, f64, sums, "groups,4")
REDUCE(N(inc_forces), INC_FORCES, sum, 4)
{
  const i32 a = node[i], m = member[a], up = DIM - 1;
  const f64 fx = p[a] * (f64)S[DIM * i] - (f64)res[DIM * a], fy = p[a] * (f64)S[DIM * i + up] - (f64)res[DIM * a + up];
  s[0] += fx;
  s[1] += fy;
  s[2] -= (x[DIM * a] - about[2 * m]) * fy - (x[DIM * a + up] - about[2 * m + 1]) * fx;
  if (DIM == 3) s[3] += p[a] * (f64)S[DIM * i + 1] - (f64)res[DIM * a + 1];
}
