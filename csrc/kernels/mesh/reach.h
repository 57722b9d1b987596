/* reach.h - volumes of meshes in space where least squares with weights |d|^-2 amplify (docs/theory.md, eq. 2.3b);
 * docs/convergence.md has the trials.                                                            */

/* Share of a change between two neighbours of a node that stands midway to one of them, at most, in gradients of a
 * matrix m of weights |d|^-2: max_j sum_k |d_j . m d_k| / (2 |d_k|^2). */
HD f64 fit_reach(const f64 *x, i32 here, const i32 *neighbour, i32 first, i32 end, const f64 *m)
{
  const struct vec3 at   = place_of(x, here);
  f64               most = 0;
  for (i32 e = first; e < end; e++) {
    const struct vec3 d  = vec3_minus(place_of(x, neighbour[e]), at),
                      to = vec3_of(m[0] * d.x + m[1] * d.y + m[2] * d.z, m[1] * d.x + m[3] * d.y + m[4] * d.z,
                                   m[2] * d.x + m[4] * d.y + m[5] * d.z);
    f64 all              = 0;
    for (i32 k = first; k < end; k++) {
      const struct vec3 way = vec3_minus(place_of(x, neighbour[k]), at);
      all += fabs(vec3_dot(to, way)) / vec3_dot(way, way);
    }
    most = all > most ? all : most;
  }
  return 0.5 * most;
}

/* Nodes with weights |d|^-1: those given, and whose reach is above `most`; there is none without a gradient. */
#define FIT_BLUNT(F)                      \
  F(near, f64, x, "nodes,3")              \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, given, "nodes")              \
  F(val, f64, most, "")                   \
  F(out, i32, blunt, "nodes")
KERNEL(fit_blunt_3d, FIT_BLUNT, wide)
{
  f64 sum[6], m[6];
  fit_matrix_3d(i, x, offsets, neighbour, 1, sum);
  blunt[i] = given[i];
  if (blunt[i] || fit_level_3d(sum)) return;
  fit_inverse_3d(sum, m);
  blunt[i] = fit_reach(x, i, neighbour, offsets[i], offsets[i + 1], m) > most;
}

/* At layers that curve by more than their thickness the reach is that of `layer_matrix`. */
#define LAYER_BLUNT(F)           \
  LAYERS(F)                      \
  F(in, f64, across, "layers,3") \
  F(in, f64, curve, "layers")    \
  F(in, i32, given, "nodes")     \
  F(val, f64, most, "")          \
  F(rw, i32, blunt, "nodes")
KERNEL(layer_blunt_3d, LAYER_BLUNT, heavy)
{
  const i32 here = node[i], first = pairs[i], end = pairs[i + 1];
  f64       m[6];
  if (!(curve[i] > 1) || given[here]) return;
  if (!layer_matrix_3d(x, here, neighbour, first, end, across + 3 * i, curve[i], m)) return;
  blunt[here] = fit_reach(x, here, neighbour, first, end, m) > most;
}
