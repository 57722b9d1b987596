/* velocity_limit.h - limits of the velocity's gradient, one for the vector (docs/theory.md, eq. 2.4c): components limited
 * each on its own would make a flow depend on the axes.  Behind gradients whose other variables are limited already;
 * once per dimension.  Units of gas.h, per chord.                                                */

/* The change of the velocity that its gradient asks for on a way: its size, and its unit vector where there is one. */
HD real N(velocity_asked)(const real *g, const real *way, real *unit)
{
  for (i32 k = 0; k < DIM; k++) unit[k] = N(vec_dot)(g + DIM * k, way);
  const real square = N(vec_dot)(unit, unit);
  if (!(square > R(1e-36))) return 0;
  const real per = reciprocal_root(square);
  for (i32 k = 0; k < DIM; k++) unit[k] *= per;
  return square * per;
}

/* The change from `own` to another velocity along a unit vector, if it is larger than `room`. */
HD real N(velocity_room)(const real *unit, const real *own, const real *there, const real room)
{
  real along = 0;
  for (i32 k = 0; k < DIM; k++) along += unit[k] * (there[k] - own[k]);
  return larger(along, room);
}

HD void N(velocity_scale)(const real phi, real *g)
{
  if (phi < R(1))
    for (i32 k = 0; k < DIM * DIM; k++) g[k] *= phi;
}

#define VELOCITY_LIMIT(F)                 \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, f64, x, "nodes," STR(DIM))        \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, q, "nodes," STR(NV))        \
  F(opt, i32, edge, "entries>edges")      \
  F(opt, f64, xf, "edges," STR(DIM))      \
  F(rw, real, grad, "nodes," STR(NG))
/* The smallest limiter over the ways to neighbours; on each the room is that to the neighbour farthest along the change
 * that is asked for.                                                                             */
HD void N(velocity_limit)(const i32 i, const real eps2 VELOCITY_LIMIT(PARAM))
{
  real  phi = 1, own[DIM];
  real *g   = grad + NG * i + DIM * VELOCITY;
  f64   at[DIM];
  N(place_load)(x, i, at);
  for (i32 k = 0; k < DIM; k++) own[k] = q[NV * i + VELOCITY + k];
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real way[DIM], unit[DIM], room = 0;
    N(limit_way)(at, x, neighbour[e], edge ? edge + e : 0, xf, way);
    const real asked = N(velocity_asked)(g, way, unit);
    if (!(asked > 0)) continue;
    for (i32 n = offsets[i]; n < offsets[i + 1]; n++)
      room = N(velocity_room)(unit, own, q + NV * neighbour[n] + VELOCITY, room);
    phi = smaller(phi, limiter_venkatakrishnan(room, asked, eps2));
  }
  N(velocity_scale)(phi, g);
}

/* Threshold squared of Wang's form for the velocity (theory eq. 2.4b). */
HD real N(velocity_wang)(const f64 *range, const i32 m, const real K)
{
  const f64 *r    = range + NR * m + VELOCITY;
  const real span = K * (real)(r[0] + r[NV]);
  return span * span + R(1e-20);
}

#define VELOCITY_LIMIT_WANG(F) VELOCITY_LIMIT(F) F(in, f64, range, "members," STR(NR)) F(val, real, K, "")
KERNEL(N(velocity_limit_wang), VELOCITY_LIMIT_WANG, busy)
{
  if (!active[member[i]]) return;
  N(velocity_limit)(i, N(velocity_wang)(range, member[i], K) VELOCITY_LIMIT(NAME));
}

#define VELOCITY_LIMIT_VENKATAKRISHNAN(F) VELOCITY_LIMIT(F) F(in, f64, V, "nodes") F(val, real, K, "")
KERNEL(N(velocity_limit_venkatakrishnan), VELOCITY_LIMIT_VENKATAKRISHNAN, busy)
{
  if (!active[member[i]]) return;
  real eps2[MINE];
  N(venkatakrishnan_threshold)(V[i], K, eps2);
  N(velocity_limit)(i, eps2[0] VELOCITY_LIMIT(NAME));
}
