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

#if DIM == 3
/* Gradients of velocities at a plane of symmetry, of the flow on both sides: the mean of those of this side and of
 * their image.  What grows across the plane of a component along it goes, and along it of that across. */
#define INC_MIRROR(F)        \
  INC_BNODES(F)              \
  F(in, real, S, "bnodes,3") \
  F(rw, real, grad, "nodes,9")
KERNEL(inc_mirror_3d, INC_MIRROR, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real per = 1 / sqrt(vec_dot_3d(S + 3 * i, S + 3 * i));
  real      *g = grad + 9 * a, unit[3], of[3], along[3], both = 0;
  for (i32 k = 0; k < 3; k++) unit[k] = per * S[3 * i + k];
  for (i32 k = 0; k < 3; k++) {
    of[k]    = vec_dot_3d(g + 3 * k, unit);
    along[k] = g[k] * unit[0] + g[3 + k] * unit[1] + g[6 + k] * unit[2];
    both += unit[k] * of[k];
  }
  for (i32 k = 0; k < 3; k++)
    for (i32 d = 0; d < 3; d++) g[3 * k + d] += 2 * both * unit[k] * unit[d] - unit[k] * along[d] - of[k] * unit[d];
}
#endif

/* Flow out through the boundary of a node, velocities being linear between nodes of its faces, or that of the
 * node where they end at an open boundary, whose velocity a pressure still changes; nothing through slip walls. */
#define INC_OUTFLOW(F)                \
  INC_BNODES(F)                       \
  RIM(F)                              \
  F(near, i32, open, "nodes")         \
  F(near, f64, x, "nodes," STR(DIM))  \
  F(near, real, u, "nodes," STR(DIM)) \
  F(rw, f64, net, "nodes")
KERNEL(N(inc_outflow), INC_OUTFLOW, indirect)
{
  const i32 a = node[i];
  if (active[member[a]] && !open[a]) net[a] = N(rim_outflow)(net[a], i, node, open, x, u RIM(NAME));
}

/* Takes from the residual at a wall that turns what is of the turn: the Laplacian has nu du/dn there, and the
 * stress nu (du/dn + grad u . n) is less by the turn itself, nu spin x S, in the plane nu spin (-S_y, S_x)
 * (eq. 7.9). */
#define INC_SPIN(F)                                             \
  INC_BNODES(F)                                                 \
  F(in, real, S, "bnodes," STR(DIM))                            \
  F(in, f64, viscosity, "members")                              \
  F(in, real, spin, SPIN) /* rate of turn, counter-clockwise */ \
  F(rw, real, res, "nodes," STR(DIM))
KERNEL(N(inc_spin), INC_SPIN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real nu = (real)viscosity[m];
#if DIM == 2
  const real turn = nu * spin[i];
  res[2 * a] += turn * S[2 * i + 1];
  res[2 * a + 1] -= turn * S[2 * i];
#else
  const real *w = spin + 3 * i, *s = S + 3 * i;
  for (i32 k = 0; k < 3; k++) {
    const i32 b = (k + 1) % 3, c = (k + 2) % 3;
    res[3 * a + k] -= nu * (w[b] * s[c] - w[c] * s[b]);
  }
#endif
}

/* Sums over a wall as of wall_forces (flow/forces.h).  Pressures act on area vectors;
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
  F(out, f64, sums, "groups," STR(NF))
REDUCE(N(inc_forces), INC_FORCES, sum, NF)
{
  const i32 a = node[i], m = member[a], up = DIM - 1;
  const f64 fx = p[a] * (f64)S[DIM * i] - (f64)res[DIM * a], fy = p[a] * (f64)S[DIM * i + up] - (f64)res[DIM * a + up];
  s[0] += fx;
  s[1] += fy;
  s[2] -= (x[DIM * a] - about[2 * m]) * fy - (x[DIM * a + up] - about[2 * m + 1]) * fx;
#if DIM == 3
  const f64 fs = p[a] * (f64)S[DIM * i + 1] - (f64)res[DIM * a + 1], y = x[DIM * a + 1];
  s[3] += fs;
  s[4] += y * fy - (x[DIM * a + 2] - about[2 * m + 1]) * fs;
  s[5] += (x[DIM * a] - about[2 * m]) * fs - y * fx;
#endif
}
