/* no_slip.h - walls that a viscous gas sticks to (docs/theory.md, section 9.4), once per dimension: velocities of
 * their nodes, states, rows of the residual and of the matrix, loads.  A wall's momentum is given, so the momentum
 * that the other faces of its half cell leave over is the force on the wall.                      */

/* Velocity of a wall's nodes with the factors of the time levels, as swept rates have it: at rest exactly zero;
 * `slide`: of a wall in itself.                                                                 */
#define WALL_MOVE(F)                                               \
  F(in, i32, node, "bnodes>nodes!")                                \
  F(in, i32, member, "nodes>members")                              \
  F(in, f64, rate, "members,2")                                    \
  F(in, f64, x, "nodes," STR(DIM))                                 \
  F(in, f64, x1, "nodes," STR(DIM))                                \
  F(in, f64, dx2, "bnodes," STR(DIM)) /* way in the step before */ \
  F(opt, f64, slide, "bnodes," STR(DIM))                           \
  F(out, f64, dx1, "bnodes," STR(DIM)) /* way in this step */      \
  F(out, f64, velocity, "bnodes," STR(DIM))
KERNEL(N(wall_move), WALL_MOVE, indirect)
{
  const i32  a = node[i];
  const f64 *g = rate + 2 * member[a];
  for (i32 k = 0; k < DIM; k++) {
    const f64 way         = x[DIM * a + k] - x1[DIM * a + k];
    dx1[DIM * i + k]      = way;
    velocity[DIM * i + k] = g[0] * way + g[1] * dx2[DIM * i + k] + (slide ? slide[DIM * i + k] : 0);
  }
}

#define NO_SLIP(F)                         \
  F(in, i32, node, "bnodes>nodes!")        \
  F(in, i32, member, "nodes>members")      \
  F(in, i32, active, "members")            \
  F(in, f64, velocity, "bnodes," STR(DIM)) \
  F(val, real, wall_temperature, "") /* over that of the stream; 0: no heat passes */
/* Energy of a mass of gas at a wall of given temperature that moves by v. */
HD real N(wall_energy)(const real wall_temperature, const real *v)
{
  return GAS_ENERGY / GAMMA * wall_temperature + R(0.5) * N(vec_dot)(v, v);
}

/* The gas at a wall goes with it: its pressure, or of a wall of given temperature its density, is kept. */
#define WALL_STICK(F) NO_SLIP(F) F(rw, real, u, "nodes," STR(NV))
KERNEL(N(wall_stick), WALL_STICK, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  i32  there = !(wall_temperature > 0);
  real own[NV], to[NV], made[NV];
  N(state_load)(u + NV * a, own);
  N(gas_primitive)(own, to);
  for (i32 k = 0; k < DIM; k++) to[VELOCITY + k] = (real)velocity[DIM * i + k];
  if (wall_temperature > 0) to[PRESSURE] = to[DENSITY] * wall_temperature / GAMMA;
  N(gas_conserved)(to, made);
  for (i32 k = 0; k < DIM; k++) there = there && made[MOMENTUM + k] == own[MOMENTUM + k];
  if (!there) N(state_put)(u + NV * a, made); /* else it would round the energy, and not the same when done again */
}

/* Last of all that is summed at a node: what is left of its momentum is the force on the wall, whose work is taken
 * from the energy (eq. 9.6).  On a plane of symmetry nothing is left across, where the force is of the pressure. */
#define BC_NO_SLIP(F)                       \
  NO_SLIP(F)                                \
  SYMMETRY(F)                               \
  F(in, real, S, "bnodes," STR(DIM))        \
  F(in, real, q, "nodes," STR(NV))          \
  F(rw, real, res, "nodes," STR(NV))        \
  F(out, f64, reaction, "bnodes," STR(DIM)) \
  F(out, f64, heat, "bnodes") /* into a wall of given temperature */
KERNEL(N(bc_no_slip), BC_NO_SLIP, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const real *unit   = PLANE_OF(a, member[a]);
  const real  across = unit ? q[NV * a + PRESSURE] * N(vec_dot)(S + DIM * i, unit) : R(0);
  real        work = 0, *own = res + NV * a;
  for (i32 k = 0; k < DIM; k++) {
    work += (real)velocity[DIM * i + k] * own[MOMENTUM + k];
    reaction[DIM * i + k] = -(f64)own[MOMENTUM + k] + (unit ? (f64)(across * unit[k]) : 0);
    own[MOMENTUM + k]     = 0;
  }
  const real left = own[ENERGY] - work;
  heat[i]         = wall_temperature > 0 ? -(f64)left : 0;
  own[ENERGY]     = wall_temperature > 0 ? R(0) : left;
}

/* The rows of such a node: d(rho v) - v d(rho) = 0, the energy's less v times those of the momentum, or of a wall of
 * given temperature d(rho E) - e d(rho) = 0 with its energy e.                                  */
#define BC_NO_SLIP_JACOBIAN(F)         \
  NO_SLIP(F)                           \
  F(in, i32, line, "bnodes>rows!")     \
  F(in, i32, row, "rows+1>>blocks")    \
  F(in, i32, diagonal, "rows>blocks!") \
  F(rw, real, rhs, "rows," STR(NV))    \
  F(rw, real, A, "blocks," STR(NB))
KERNEL(N(bc_no_slip_jacobian), BC_NO_SLIP_JACOBIAN, indirect)
{
  if (!active[member[node[i]]]) return;
  const i32 at = line[i], warm = wall_temperature > 0;
  real      v[DIM];
  for (i32 k = 0; k < DIM; k++) v[k] = (real)velocity[DIM * i + k];
  for (i32 b = row[at]; b < row[at + 1]; b++)
    for (i32 j = 0; j < NV; j++) {
      real *column = BLOCK_AT(A, NB, b) + ENTRY(NV, 0, j), work = N(vec_dot)(v, column + MOMENTUM);
      column[ENERGY] = warm ? R(0) : column[ENERGY] - work;
      for (i32 k = 0; k < DIM; k++) column[MOMENTUM + k] = 0;
    }
  real *own = BLOCK_AT(A, NB, diagonal[at]);
  for (i32 k = 0; k < DIM; k++) {
    own[ENTRY(NV, MOMENTUM + k, DENSITY)]      = -v[k];
    own[ENTRY(NV, MOMENTUM + k, MOMENTUM + k)] = 1;
    rhs[NV * at + MOMENTUM + k]                = 0;
  }
  if (!warm) return;
  own[ENTRY(NV, ENERGY, DENSITY)] = -N(wall_energy)(wall_temperature, v);
  own[ENTRY(NV, ENERGY, ENERGY)]  = 1;
  rhs[NV * at + ENERGY]           = 0;
}

/* Rows of such a node in a product with the derivative of the residual (flow/newton.h), z by nodes. */
#define NEWTON_NO_SLIP(F)      \
  NO_SLIP(F)                   \
  F(in, f32, z, "nodes,width") \
  F(size, i32, width, "width") \
  F(rw, f32, w, "nodes,width")
KERNEL(N(newton_no_slip), NEWTON_NO_SLIP, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const f32 *d  = z + width * a;
  f32       *to = w + width * a;
  real       v[DIM];
  for (i32 k = 0; k < DIM; k++) {
    v[k]             = (real)velocity[DIM * i + k];
    to[MOMENTUM + k] = (f32)((real)d[MOMENTUM + k] - v[k] * (real)d[DENSITY]);
  }
  if (!(wall_temperature > 0)) return;
  const real energy = N(wall_energy)(wall_temperature, v);
  to[ENERGY]        = (f32)((real)d[ENERGY] - energy * (real)d[DENSITY]);
}

/* Sums over a wall as those of wall_forces, of the reaction: pressure and friction together. */
#define WALL_REACTION(F)                   \
  F(in, i32, node, "bnodes>nodes")         \
  F(in, i32, member, "nodes>members")      \
  F(in, f64, x, "nodes," STR(DIM))         \
  F(opt, f64, xf, "bnodes," STR(DIM))      \
  F(in, f64, reaction, "bnodes," STR(DIM)) \
  F(in, real, S, "bnodes," STR(DIM))       \
  F(in, f64, about, "members,2")           \
  F(in, f64, stream, "members," STR(NV))   \
  F(in, i32, offsets, "groups+1>>bnodes")  \
  F(out, f64, sums, "groups," STR(NF))
REDUCE(N(wall_reaction), WALL_REACTION, sum, NF)
{
  const i32 a = node[i], m = member[a];
  const f64 p = stream[NV * m + PRESSURE];
  f64       force[DIM];
  for (i32 k = 0; k < DIM; k++) force[k] = reaction[DIM * i + k] - p * (f64)S[DIM * i + k];
  N(wall_load)(xf ? xf + DIM * i : x + DIM * a, about + 2 * m, force, s);
}

/* Generalised force of a mode as that of mode_forces, of the reaction. */
#define MODE_REACTION(F)                   \
  F(in, i32, node, "bnodes>nodes")         \
  F(in, i32, member, "nodes>members")      \
  F(in, f64, reaction, "bnodes," STR(DIM)) \
  F(in, real, S, "bnodes," STR(DIM))       \
  F(in, f64, stream, "members," STR(NV))   \
  MODE_SHAPE(F)                            \
  F(in, i32, offsets, "groups+1>>bnodes")  \
  F(out, f64, sums, "groups,1")
REDUCE(N(mode_reaction), MODE_REACTION, sum, 1)
{
  const f64 p = stream[NV * member[node[i]] + PRESSURE];
  f64       to[DIM];
  N(pose_turn)(pose + NP * body[i], shape + DIM * (shapes * i + mode), to);
  for (i32 k = 0; k < DIM; k++) s[0] += (reaction[DIM * i + k] - p * (f64)S[DIM * i + k]) * to[k];
}
