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

/* Block K_01 of a tetrahedron, added to `to`; p its ways from corner 0 to the others.  With ln sin of the angle
 * between edge il and face l = ln V - ln A_l - ln |x_l - x_i| (eq. 3.7) b are the gradients of ln V, c those of
 * ln A_l, e = spring_edge(x_l - x_i), and the three edges of corner l to its face come in one product.  */
HD void spring_pair(const struct vec3 *p, f64 *to)
{
  const struct vec3 n1 = vec3_cross(p[1], p[2]), n2 = vec3_cross(p[2], p[0]), n3 = vec3_cross(p[0], p[1]);
  const struct vec3 q1 = spring_edge(p[0]), q2 = spring_edge(p[1]), q3 = spring_edge(p[2]);
  const struct vec3 e12 = spring_edge(vec3_minus(p[0], p[1])), e13 = spring_edge(vec3_minus(p[0], p[2]));
  const struct vec3 n0  = vec3_plus(vec3_plus(n1, n2), n3);
  const f64         per = reciprocal_f64(vec3_dot(p[0], n1));
  const struct vec3 b0 = vec3_times(-per, n0), b1 = vec3_times(per, n1);
  const f64         a0 = reciprocal_f64(vec3_dot(n0, n0)), a1 = reciprocal_f64(vec3_dot(n1, n1));
  const f64         a2 = reciprocal_f64(vec3_dot(n2, n2)), a3 = reciprocal_f64(vec3_dot(n3, n3));
  const struct vec3 c01 = vec3_times(a0, vec3_cross(n0, vec3_minus(p[2], p[1])));
  const struct vec3 c10 = vec3_times(a1, vec3_cross(n1, vec3_minus(p[2], p[1])));
  const struct vec3 c20 = vec3_times(a2, vec3_cross(n2, vec3_minus(p[0], p[2])));
  const struct vec3 c21 = vec3_times(a2, vec3_cross(n2, p[2]));
  const struct vec3 c30 = vec3_times(a3, vec3_cross(n3, vec3_minus(p[1], p[0])));
  const struct vec3 c31 = vec3_times(a3, vec3_cross(p[1], n3));
  spring_add(to, b0, vec3_plus(vec3_plus(q1, q2), q3), vec3_minus(b1, c01), vec3_times(-1, q1));
  spring_add(to, vec3_minus(b0, c10), q1, b1, vec3_times(-1, vec3_plus(vec3_plus(q1, e12), e13)));
  spring_add(to, vec3_minus(b0, c20), q2, vec3_minus(b1, c21), vec3_times(-1, e12));
  spring_add(to, vec3_minus(b0, c30), q3, vec3_minus(b1, c31), vec3_times(-1, e13));
  const f64 x = 2 * q1.x, y = 2 * q1.y, z = 2 * q1.z;
  to[0] -= x * q1.x, to[1] -= y * q1.x, to[2] -= z * q1.x;
  to[3] -= x * q1.y, to[4] -= y * q1.y, to[5] -= z * q1.y;
  to[6] -= x * q1.z, to[7] -= y * q1.z, to[8] -= z * q1.z;
}
