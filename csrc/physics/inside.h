/* inside.h - whether a point lies in a cell of the plane, and the weights that interpolate there [chord]. */
#pragma once

/* a b, rounded.  nvcc would make one operation of a product and a sum: the sign of a point on a side would
 * then differ between the side's two cells, and from a CPU's (gcc makes none by -std=c11).        */
HD f64 rounded_product(f64 a, f64 b)
{
#ifdef __CUDACC__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/* Whether p is not on the right of the side from node a to node b.  The sign is that of the way from the
 * lower to the higher node, turned for one of the side's two cells: p is in one of them, or, on the side, in
 * both.  A side from a node to itself has no right.                                              */
HD i32 inside_side(i32 a, i32 b, struct vec2 from, struct vec2 to, struct vec2 p)
{
  const struct vec2 l = a < b ? from : to, h = a < b ? to : from, d = minus(h, l), q = minus(p, l);
  const f64         turn = rounded_product(d.x, q.y) - rounded_product(d.y, q.x);
  return a < b ? turn >= 0 : turn <= 0;
}

/* cross(a, b) from rounded products, as every device has it. */
HD f64 rounded_cross(struct vec2 a, struct vec2 b)
{
  return rounded_product(a.x, b.y) - rounded_product(a.y, b.x);
}

/* a + t s, rounded alike. */
HD struct vec2 rounded_along(struct vec2 a, struct vec2 t, f64 s)
{
  return vec2_of(a.x + rounded_product(t.x, s), a.y + rounded_product(t.y, s));
}

/* Weights of a triangle's corners at the way q from the first; u, v: ways from there to the others. */
HD void inside_triangle(struct vec2 u, struct vec2 v, struct vec2 q, f64 *w)
{
  const f64 area = rounded_cross(u, v);
  w[1]           = rounded_cross(q, v) / area;
  w[2]           = rounded_cross(u, q) / area;
  w[0]           = 1 - w[1] - w[2];
  w[3]           = 0;
}

/* Weights of a convex quadrilateral's corners at q = u r + v s + t r s, ways from the first corner with
 * t = (third corner) - u - v.  s is the root where the map's Jacobian, the root of the discriminant, is
 * positive, without a difference of nearly equal numbers; two steps of Newton's method take the rounding
 * of r and s down to that of q.                                                                  */
HD void inside_quad(struct vec2 u, struct vec2 v, struct vec2 t, struct vec2 q, f64 *w)
{
  const f64 square = rounded_cross(t, v), line = rounded_cross(u, v) + rounded_cross(q, t), rest = rounded_cross(q, u),
            inner         = rounded_product(line, line) - rounded_product(4 * square, rest),
            jacobian      = sqrt(inner > 0 ? inner : 0);
  f64               s     = line > 0 ? -2 * rest / (line + jacobian) : (jacobian - line) / (2 * square);
  const struct vec2 along = rounded_along(u, t, s), left = rounded_along(q, v, -s);
  f64               r = (rounded_product(left.x, along.x) + rounded_product(left.y, along.y)) /
          (rounded_product(along.x, along.x) + rounded_product(along.y, along.y));
  for (i32 step = 0; step < 2; step++) {
    const struct vec2 a = rounded_along(u, t, s), b = rounded_along(v, t, r),
                      miss = rounded_along(rounded_along(q, a, -r), v, -s);
    const f64 area         = rounded_cross(a, b);
    r += rounded_cross(miss, b) / area;
    s += rounded_cross(a, miss) / area;
  }
  w[0] = (1 - r) * (1 - s), w[1] = r * (1 - s), w[2] = r * s, w[3] = (1 - r) * s;
}
