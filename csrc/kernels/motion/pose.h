/* pose.h - bodies to their pose (docs/theory.md, section 3), once per dimension.  Lengths in chords. */

/* x = x_ref + (R - I)(x_ref - about) + shift; pose = (cos - 1, sin, about, shift), radians
 * counter-clockwise; in space pose = (R - I | t), rows of 4, with t = shift - (R - I) about.  The
 * displacement form keeps a body at rest to the last bit.                                        */
#define POSE_MOVE(F)                       \
  F(in, i32, node, "moved>nodes!")         \
  F(in, i32, body, "moved>bodies")         \
  F(in, f64, pose, "bodies," STR(NP))      \
  F(in, f64, reference, "nodes," STR(DIM)) \
  F(rw, f64, x, "nodes," STR(DIM))
KERNEL(N(pose_move), POSE_MOVE, indirect)
{
  const i32  a = DIM * node[i];
  const f64 *p = pose + NP * body[i];
#if DIM == 2
  const f64 rx = reference[a] - p[2], ry = reference[a + 1] - p[3];
  x[a]     = reference[a] + (p[0] * rx - p[1] * ry + p[4]);
  x[a + 1] = reference[a + 1] + (p[1] * rx + p[0] * ry + p[5]);
#else
  const f64 *r = reference + a;
  for (i32 k = 0; k < DIM; k++, p += 4) x[a + k] = r[k] + (p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3]);
#endif
}
