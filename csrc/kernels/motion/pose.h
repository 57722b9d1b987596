/* pose.h - bodies to their pose (docs/theory.md, section 3), once per dimension.  Lengths in chords. */

/* x = x_ref + (R - I)(x_ref - about) + shift; pose = (cos - 1, sin, about, shift), radians
 * counter-clockwise; in space in the planes across the span, where x and z turn about a line along
 * y.  The displacement form keeps a body at rest to the last bit.                               */
#define POSE_MOVE(F)                       \
  F(in, i32, node, "moved>nodes!")         \
  F(in, i32, body, "moved>bodies")         \
  F(in, f64, pose, "bodies,6")             \
  F(in, f64, reference, "nodes," STR(DIM)) \
  F(rw, f64, x, "nodes," STR(DIM))
KERNEL(N(pose_move), POSE_MOVE, indirect)
{
  const i32  a = DIM * node[i], up = DIM - 1;
  const f64 *p  = pose + 6 * body[i];
  const f64  rx = reference[a] - p[2], ry = reference[a + up] - p[3];
  x[a] = reference[a] + (p[0] * rx - p[1] * ry + p[4]);
  if (DIM == 3) x[a + 1] = reference[a + 1];
  x[a + up] = reference[a + up] + (p[1] * rx + p[0] * ry + p[5]);
}
