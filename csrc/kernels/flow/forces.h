/* forces.h - loads on walls (theory eq. 2.16), once per dimension.  Forces [rho_inf a_inf^2 chord],
 * in space times chord.                                                                          */

/* Pressure at face i of a wall: that of the volume behind it, or, where faces have middles xf, as its gradient
 * has it there, unless that asks for a negative one.                                             */
HD real N(wall_pressure)(const i32 i, const i32 a, const f64 *x, const f64 *xf, const real *q, const real *grad)
{
  const real own = q[NV * a + PRESSURE];
  if (!xf || !grad) return own;
  real way[DIM];
  for (i32 k = 0; k < DIM; k++) way[k] = (real)(xf[DIM * i + k] - x[DIM * a + k]);
  const real there = own + N(vec_dot)(grad + NG * a + DIM * PRESSURE, way);
  return there > 0 ? there : own;
}

#define WALL_PRESSURE(F)                                         \
  F(in, f64, x, "nodes," STR(DIM))                               \
  F(opt, f64, xf, "bnodes," STR(DIM)) /* middles of the faces */ \
  F(in, real, q, "nodes," STR(NV))                               \
  F(opt, real, grad, "nodes," STR(NG))
/* Adds a force at a place to the loads of a wall: force along the first axis, force along the last one, nose-up
 * moment about a point (in space about the line along y through it), and in space the force along the span and the
 * moments about lines along x and z through the point of that line at y = 0.                     */
HD void N(wall_load)(const f64 *at, const f64 *about, const f64 *force, f64 *s)
{
  const i32 up = DIM - 1;
  const f64 fx = force[0], fy = force[up];
  s[0] += fx;
  s[1] += fy;
  s[2] -= (at[0] - about[0]) * fy - (at[up] - about[1]) * fx;
#if DIM == 3
  const f64 fs = force[1], y = at[1];
  s[3] += fs;
  s[4] += y * fy - (at[2] - about[1]) * fs;
  s[5] += (at[0] - about[0]) * fs - y * fx;
#endif
}

/* Sums over a wall of pressure less that of the stream times area vectors, as loads.  Groups are chunks of one
 * body.                                                                                         */
#define WALL_FORCES(F)                    \
  F(in, i32, node, "bnodes>nodes")        \
  F(in, i32, member, "nodes>members")     \
  WALL_PRESSURE(F)                        \
  F(in, real, S, "bnodes," STR(DIM))      \
  F(in, f64, about, "members,2")          \
  F(in, f64, stream, "members," STR(NV))  \
  F(in, i32, offsets, "groups+1>>bnodes") \
  F(out, f64, sums, "groups," STR(NF))
REDUCE(N(wall_forces), WALL_FORCES, sum, NF)
{
  const i32  a = node[i], m = member[a];
  const f64 *at = xf ? xf + DIM * i : x + DIM * a;
  const f64  p  = (f64)N(wall_pressure)(i, a, x, xf, q, grad) - stream[NV * m + PRESSURE];
  f64        force[DIM];
  for (i32 k = 0; k < DIM; k++) force[k] = p * (f64)S[DIM * i + k];
  N(wall_load)(at, about + 2 * m, force, s);
}

/* A shape of a body on its wall, and the body's pose, with which the shape turns. */
#define MODE_SHAPE(F)                          \
  F(in, i32, body, "bnodes>bodies")            \
  F(in, f64, pose, "bodies," STR(NP))          \
  F(in, f64, shape, "bnodes,shapes," STR(DIM)) \
  F(size, i32, shapes, "shapes")               \
  F(val, i32, mode, "")
/* Generalised force of a mode: sums over a wall of pressure less that of the stream times area vector and shape. */
#define MODE_FORCES(F)                    \
  F(in, i32, node, "bnodes>nodes")        \
  F(in, i32, member, "nodes>members")     \
  WALL_PRESSURE(F)                        \
  F(in, real, S, "bnodes," STR(DIM))      \
  F(in, f64, stream, "members," STR(NV))  \
  MODE_SHAPE(F)                           \
  F(in, i32, offsets, "groups+1>>bnodes") \
  F(out, f64, sums, "groups,1")
REDUCE(N(mode_forces), MODE_FORCES, sum, 1)
{
  const i32 a = node[i];
  const f64 p = (f64)N(wall_pressure)(i, a, x, xf, q, grad) - stream[NV * member[a] + PRESSURE];
  f64       to[DIM];
  N(pose_turn)(pose + NP * body[i], shape + DIM * (shapes * i + mode), to);
  for (i32 k = 0; k < DIM; k++) s[0] += p * (f64)S[DIM * i + k] * to[k];
}
