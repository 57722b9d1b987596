/* reach.h - volumes of meshes in space where least squares with weights |d|^-2 amplify (docs/theory.md, eq. 2.3b);
 * docs/convergence.md has the trials.                                                            */

/* Share of a change between two neighbours of a node that stands midway to one of them, at most, the gradient
 * made with weights |d|^-2: max_j sum_k |d_j . M^-1 d_k| / (2 |d_k|^2).  Zero where there is no gradient. */
#define FIT_REACH(F)                      \
  F(near, f64, x, "nodes,3")              \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(out, f64, reach, "nodes")
KERNEL(fit_reach_3d, FIT_REACH, wide)
{
  const struct vec3 at = place_of(x, i);
  f64               sum[6], m[6], most = 0;
  fit_matrix_3d(i, x, offsets, neighbour, 1, sum);
  reach[i] = 0;
  if (fit_flat_3d(sum)) return;
  fit_inverse_3d(sum, m);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const struct vec3 d  = vec3_minus(place_of(x, neighbour[e]), at),
                      to = vec3_of(m[0] * d.x + m[1] * d.y + m[2] * d.z, m[1] * d.x + m[3] * d.y + m[4] * d.z,
                                   m[2] * d.x + m[4] * d.y + m[5] * d.z);
    f64 all              = 0;
    for (i32 k = offsets[i]; k < offsets[i + 1]; k++) {
      const struct vec3 way = vec3_minus(place_of(x, neighbour[k]), at);
      all += fabs(vec3_dot(to, way)) / vec3_dot(way, way);
    }
    most = all > most ? all : most;
  }
  reach[i] = 0.5 * most;
}
