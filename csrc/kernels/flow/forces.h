/* forces.h - loads on walls (theory eq. 2.16), once per dimension.  Forces [rho_inf a_inf^2 chord],
 * in space times chord.                                                                          */

/* Sums over a wall of pressure less that of the stream times area vectors: force along the first axis,
 * force along the last one, nose-up moment about a point (in space about the line along y through it),
 * and in space the force along the span.  Groups are chunks of one body.                        */
#define WALL_FORCES(F)                    \
  F(in, i32, node, "bnodes>nodes!")       \
  F(in, i32, member, "nodes>members")     \
  F(in, f64, x, "nodes," STR(DIM))        \
  F(in, real, S, "bnodes," STR(DIM))      \
  F(in, real, q, "nodes," STR(NV))        \
  F(in, f64, about, "members,2")          \
  F(in, f64, stream, "members," STR(NV))  \
  F(in, i32, offsets, "groups+1>>bnodes") \
  F(out, f64, sums, "groups,4")
REDUCE(N(wall_forces), WALL_FORCES, sum, 4)
{
  const i32 a = node[i], m = member[a], up = DIM - 1;
  const f64 p  = (f64)q[NV * a + PRESSURE] - stream[NV * m + PRESSURE];
  const f64 fx = p * (f64)S[DIM * i], fy = p * (f64)S[DIM * i + up];
  s[0] += fx;
  s[1] += fy;
  s[2] -= (x[DIM * a] - about[2 * m]) * fy - (x[DIM * a + up] - about[2 * m + 1]) * fx;
  if (DIM == 3) s[3] += p * (f64)S[DIM * i + 1];
}
