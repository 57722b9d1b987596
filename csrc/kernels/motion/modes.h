/* modes.h - bodies that bend by given shapes (docs/theory.md, section 3), once per dimension.  Lengths in chords. */

/* Points as given, displaced by the amplitudes of their body's modes: x_ref + sum_j a_j phi_j.  A shape that turns
 * sections has phi of a small angle, share * (axis x arm); its amplitude is the angle of share 1, of any size. */
#define MODE_BEND(F)                          \
  F(in, i32, node, "moved>nodes!")            \
  F(in, i32, body, "moved>bodies")            \
  F(in, f64, modes, "bodies,shapes")          \
  F(in, f64, shape, "moved,shapes," STR(DIM)) \
  F(opt, f64, arm, "moved,shapes," STR(DIM))  \
  F(opt, f64, angle_share, "moved,shapes")    \
  F(size, i32, shapes, "shapes")              \
  F(in, f64, reference, "nodes," STR(DIM))    \
  F(rw, f64, bent, "nodes," STR(DIM))
KERNEL(N(mode_bend), MODE_BEND, indirect)
{
  const i32  a = DIM * node[i];
  const f64 *q = modes + shapes * body[i], *phi = shape + DIM * shapes * i;
  for (i32 k = 0; k < DIM; k++) {
    f64 d = 0;
    for (i32 j = 0; j < shapes; j++) {
      const f64 angle = angle_share ? q[j] * angle_share[shapes * i + j] : 0;
      if (angle == 0) {
        d += q[j] * phi[DIM * j + k];
        continue;
      }
      const f64 half = sin(0.5 * angle); /* 1 - cos = 2 sin^2 of half, without cancellation */
      d += sin(angle) / angle * q[j] * phi[DIM * j + k] - 2 * half * half * arm[DIM * (shapes * i + j) + k];
    }
    bent[a + k] = reference[a + k] + d;
  }
}

/* A vector turned as its body is, by the body's row of pose_move. */
HD void N(pose_turn)(const f64 *pose, const f64 *v, f64 *to)
{
#if DIM == 2
  to[0] = v[0] + (pose[0] * v[0] - pose[1] * v[1]);
  to[1] = v[1] + (pose[1] * v[0] + pose[0] * v[1]);
#else
  for (i32 k = 0; k < DIM; k++, pose += 4) to[k] = v[k] + (pose[0] * v[0] + pose[1] * v[1] + pose[2] * v[2]);
#endif
}
