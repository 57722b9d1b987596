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

/* Weights of a triangle's corners at the way q from the first; u, v: ways from there to the others. */
HD void inside_triangle(struct vec2 u, struct vec2 v, struct vec2 q, f64 *w)
{
  const f64 area = cross(u, v);
  w[1]           = cross(q, v) / area;
  w[2]           = cross(u, q) / area;
  w[0]           = 1 - w[1] - w[2];
  w[3]           = 0;
}

/* Weights of a convex quadrilateral's corners at q = u r + v s + t r s, ways from the first corner with
 * t = (third corner) - u - v.  s is the root where the map's Jacobian, the root of the discriminant, is
 * positive, without a difference of nearly equal numbers; two steps of Newton's method take the rounding
 * of r and s down to that of q.                                                                  */
HD void inside_quad(struct vec2 u, struct vec2 v, struct vec2 t, struct vec2 q, f64 *w)
{
  const f64         square = cross(t, v), line = cross(u, v) + cross(q, t), rest = cross(q, u);
  const f64         inner = line * line - 4 * square * rest, jacobian = sqrt(inner > 0 ? inner : 0);
  f64               s     = line > 0 ? -2 * rest / (line + jacobian) : (jacobian - line) / (2 * square);
  const struct vec2 along = vec2_of(u.x + t.x * s, u.y + t.y * s), left = vec2_of(q.x - v.x * s, q.y - v.y * s);
  f64               r = dot(left, along) / dot(along, along);
  for (i32 step = 0; step < 2; step++) {
    const struct vec2 a = vec2_of(u.x + t.x * s, u.y + t.y * s), b = vec2_of(v.x + t.x * r, v.y + t.y * r),
                      miss = vec2_of(q.x - a.x * r - v.x * s, q.y - a.y * r - v.y * s);
    const f64 area         = cross(a, b);
    r += cross(miss, b) / area;
    s += cross(a, miss) / area;
  }
  w[0] = (1 - r) * (1 - s), w[1] = r * (1 - s), w[2] = r * s, w[3] = (1 - r) * s;
}
