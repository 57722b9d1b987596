/* forces.h - loads on walls (theory eq. 2.16), once per dimension.  Forces [rho_inf a_inf^2 chord],
 * in space times chord.                                                                          */

/* Force of the wall's pressures, those of the flux, in the plane of the motion: along the first axis, up
 * the last one, and nose-up moment about a point; in space that of the y-line through it, and the
 * force along the span as the fourth.  Groups are chunks of one body.                           */
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
  const f64 p  = (f64)q[NV * a + NV - 1] - stream[NV * m + NV - 1];
  const f64 fx = p * (f64)S[DIM * i], fy = p * (f64)S[DIM * i + up];
  s[0] += fx;
  s[1] += fy;
  s[2] -= (x[DIM * a] - about[2 * m]) * fy - (x[DIM * a + up] - about[2 * m + 1]) * fx;
  if (DIM == 3) s[3] += p * (f64)S[DIM * i + 1];
}
