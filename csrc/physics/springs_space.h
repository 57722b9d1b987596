/* springs_space.h - torsional springs between the edges of a tetrahedron and its faces (Burg 2004; docs/theory.md,
 * section 3.2).  Edges in chords; stiffness is 1/chord^2.                                          */
#pragma once

/* An edge over its length squared: the gradient of the length's logarithm. */
HD struct vec3 spring_edge(struct vec3 way)
{
  return vec3_times(reciprocal_f64(vec3_dot(way, way)), way);
}

/* to += a (3 an + sn)^T + s an^T: what the three edges of a corner to its face give (eq. 3.8). */
HD void spring_add(f64 *to, struct vec3 a, struct vec3 s, struct vec3 an, struct vec3 sn)
{
  const struct vec3 d = vec3_plus(vec3_times(3, an), sn);
  to[0] += a.x * d.x + s.x * an.x, to[1] += a.y * d.x + s.y * an.x, to[2] += a.z * d.x + s.z * an.x;
  to[3] += a.x * d.y + s.x * an.y, to[4] += a.y * d.y + s.y * an.y, to[5] += a.z * d.y + s.z * an.y;
  to[6] += a.x * d.z + s.x * an.z, to[7] += a.y * d.z + s.y * an.z, to[8] += a.z * d.z + s.z * an.z;
}

/* to += f v v^T. */
HD void spring_square_3d(f64 *to, f64 f, struct vec3 v)
{
  const f64 x = f * v.x, y = f * v.y, z = f * v.z;
  to[0] += x * v.x, to[1] += y * v.x, to[2] += z * v.x;
  to[3] += x * v.y, to[4] += y * v.y, to[5] += z * v.y;
  to[6] += x * v.z, to[7] += y * v.z, to[8] += z * v.z;
}

/* Blocks of a tetrahedron in the row of its corner 0, p its ways to the others: to += K_01, K_02, K_03 one after the
 * other, own += K_00.  With ln sin of the angle between edge il and face l = ln V - ln A_l - ln |x_l - x_i| (eq. 3.7)
 * b are the gradients of ln V, c those of ln A_l, e = spring_edge(x_l - x_i).                      */
HD void spring_star(const struct vec3 *p, f64 *own, f64 *to)
{
  const struct vec3 around[3] = {vec3_cross(p[1], p[2]), vec3_cross(p[2], p[0]), vec3_cross(p[0], p[1])};
  const struct vec3 q[3]      = {spring_edge(p[0]), spring_edge(p[1]), spring_edge(p[2])};
  const struct vec3 r[3]      = {spring_edge(vec3_minus(p[2], p[1])), spring_edge(vec3_minus(p[0], p[2])),
                                 spring_edge(vec3_minus(p[1], p[0]))}; /* of the edge across from each, in turn */
  const f64         per       = reciprocal_f64(vec3_dot(p[0], around[0]));
  const struct vec3 b[3]      = {vec3_times(per, around[0]), vec3_times(per, around[1]), vec3_times(per, around[2])};
  const struct vec3 sum = vec3_plus(vec3_plus(b[0], b[1]), b[2]), b0 = vec3_times(-1, sum);
  const struct vec3 base = vec3_plus(vec3_plus(around[0], around[1]), around[2]);
  const f64         area = reciprocal_f64(vec3_dot(base, base));
  const struct vec3 s0   = vec3_plus(vec3_plus(q[0], q[1]), q[2]);
  spring_add(own, b0, s0, b0, s0);
  UNROLL
  for (i32 k = 0; k < 3; k++) {
    const i32         u = (k + 1) % 3, w = (k + 2) % 3;
    const struct vec3 away = vec3_times(-1, q[k]);
    spring_square_3d(own, 2, q[k]);
    spring_square_3d(to + 9 * k, -2, q[k]);
    /* face 0, across from the row's corner: k, u, w in turn */
    const struct vec3 c = vec3_times(area, vec3_cross(base, vec3_minus(p[w], p[u])));
    spring_add(to + 9 * k, b0, s0, vec3_minus(b[k], c), away);
    /* face k: the row's corner, u, w in turn, whose corner across is k */
    const struct vec3 n   = around[k];
    const f64         one = reciprocal_f64(vec3_dot(n, n));
    const struct vec3 cu = vec3_times(one, vec3_cross(p[w], n)), cw = vec3_times(one, vec3_cross(n, p[u]));
    const struct vec3 a    = vec3_plus(b0, vec3_plus(cu, cw));
    const struct vec3 ends = vec3_minus(vec3_minus(r[w], r[u]), q[k]); /* less all edges of k */
    spring_add(own, a, q[k], a, q[k]);
    spring_add(to + 9 * k, a, q[k], b[k], ends);
    spring_add(to + 9 * u, a, q[k], vec3_minus(b[u], cu), vec3_times(-1, r[w]));
    spring_add(to + 9 * w, a, q[k], vec3_minus(b[w], cw), r[u]);
  }
}
