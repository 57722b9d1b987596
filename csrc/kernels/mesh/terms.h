/* terms.h - what cancels in the residual of a uniform stream, once per dimension.                */

/* Norm over each member of what cancels in the residual of a uniform stream at rest: the area of a node's
 * faces, and the time terms of its volume.                                                      */
#define FACE_TERMS(F)                                                       \
  F(in, i32, starts, "nodes+1>>entries") /* of the faces of each node */    \
  F(in, i32, edge, "entries>edges")                                         \
  F(in, real, S, "edges," STR(DIM))                                         \
  F(in, f64, V, "nodes")                                                    \
  F(in, i32, member, "nodes>members")                                       \
  F(in, f64, step, "members") /* of time [chord/a_inf]; infinite: steady */ \
  TOTALS(F, "nodes")                                                        \
  F(upd, f64, parts, "groups,1")                                            \
  F(out, real, each, "nodes") /* of each node */                            \
  F(out, f64, norm, "members")
TOTAL(N(face_terms), FACE_TERMS, sum, 1, 1)
{
  f64 size = 4 * V[i] / step[member[i]];
  for (i32 e = starts[i]; e < starts[i + 1]; e++) {
    const real *out    = S + DIM * edge[e];
    f64         square = (f64)out[0] * (f64)out[0];
    for (i32 k = 1; k < DIM; k++) square += (f64)out[k] * (f64)out[k];
    size += sqrt(square);
  }
  each[i] = (real)size;
  s[0] += size * size;
}
OF_MEMBER(N(face_terms), FACE_TERMS)
{
  norm[m] = sqrt(s[0]);
}
