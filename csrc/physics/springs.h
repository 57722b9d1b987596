/* springs.h - torsional springs at the corners of a triangle (Farhat et al. 1998; docs/theory.md, section
 * 3).  Edges in chords; stiffness has no unit but that of 1/sin^2 per chord^2.                   */
#pragma once

/* A spoke from node i to j: e the edge, g = (-e_y, e_x)/|e|^2 the rate of its direction's angle with
 * the displacement of j, l = |e|^2.                                                             */
struct spoke {
  struct vec2 e, g;
  f64         l;
};

HD struct spoke spoke_of(struct vec2 e)
{
  struct spoke s;
  const f64    l = dot(e, e), per = reciprocal_f64(l);
  s.e = e, s.l = l, s.g = vec2_of(-e.y * per, e.x * per);
  return s;
}

/* What row i needs of a triangle (i, j, k).  With C = 1/sin^2 of the angles at i, j, k (eq. 3.3) and
 * p = (-e_y, e_x) the products C_j g_ij g_jk^T and C_k g_ik g_jk^T are p_ij p_jk^T and p_ik p_jk^T
 * over (2 area)^2, so the direction of jk never needs its own length.                           */
struct corner {
  f64         C[3], per; /* per = 1 / (2 area)^2 */
  struct vec2 turn;      /* g_ik - g_ij: rate of the angle at i */
};

HD struct corner corner_of(struct spoke ij, struct spoke ik)
{
  const struct vec2 jk    = minus(ik.e, ij.e);
  const f64         twice = cross(ij.e, ik.e), ljk = dot(jk, jk);
  struct corner     c;
  c.per  = reciprocal_f64(twice * twice);
  c.C[0] = ij.l * ik.l * c.per, c.C[1] = ij.l * ljk * c.per, c.C[2] = ik.l * ljk * c.per;
  c.turn = minus(ik.g, ij.g);
  return c;
}

/* a += f v v^T, a symmetric: xx, xy, yy. */
HD void spring_square(f64 *a, f64 f, struct vec2 v)
{
  const f64 x = f * v.x;
  a[0] += x * v.x, a[1] += x * v.y, a[2] += f * v.y * v.y;
}

/* Diagonal block of i from the triangle: K = R^T C R of eq. 3.4, in the angles' own terms. */
HD void spring_diagonal(struct spoke ij, struct spoke ik, f64 *ii)
{
  const struct corner c = corner_of(ij, ik);
  spring_square(ii, c.C[0], c.turn);
  spring_square(ii, c.C[1], ij.g);
  spring_square(ii, c.C[2], ik.g);
}

/* Column c of a block, as a vector: to += f v. */
HD void spring_column(struct vec2 *to, struct vec2 v, f64 f)
{
  to->x += f * v.x, to->y += f * v.y;
}

HD f64 vec2_pick(struct vec2 v, i32 c)
{
  return c ? v.y : v.x;
}

/* A symmetric block times a vector. */
HD struct vec2 spring_apply(const f64 *a, struct vec2 v)
{
  return vec2_of(a[0] * v.x + a[1] * v.y, a[1] * v.x + a[2] * v.y);
}
