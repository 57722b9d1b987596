/* tetrahedron.h - where a place is in a tetrahedron, from rounded products, as every device has it [chord]. */
#pragma once

/* Share of the sizes of the terms of a triple product of differences, more than rounding moves the product by
 * (Shewchuk 1997, Discrete and Computational Geometry 18, orient3d: 7 + 56 eps halves of an ulp). */
#define TRIPLE_ROUNDS ((f64)8 / ((f64)(1 << 26) * (f64)(1 << 27)))

/* (a x b) . c, and in `terms` the sum of the sizes of its terms. */
HD f64 rounded_triple(struct vec3 a, struct vec3 b, struct vec3 c, f64 *terms)
{
  const f64 yz = rounded_product(a.y, b.z), zy = rounded_product(a.z, b.y), zx = rounded_product(a.z, b.x),
            xz = rounded_product(a.x, b.z), xy = rounded_product(a.x, b.y), yx = rounded_product(a.y, b.x);
  *terms = rounded_product(fabs(yz) + fabs(zy), fabs(c.x)) + rounded_product(fabs(zx) + fabs(xz), fabs(c.y)) +
           rounded_product(fabs(xy) + fabs(yx), fabs(c.z));
  return rounded_product(yz - zy, c.x) + rounded_product(zx - xz, c.y) + rounded_product(xy - yx, c.z);
}

/* 1 where p is in a tetrahedron of positive volume, or beyond it by no more than rounding may be, so that no place is
 * between two; w: weights of its corners there, which are linear. */
HD i32 tetrahedron_holds(const f64 *x, const i32 *corner, struct vec3 p, f64 *w)
{
  const struct vec3 o = place_of(x, corner[0]), u = vec3_minus(place_of(x, corner[1]), o),
                    v = vec3_minus(place_of(x, corner[2]), o), t = vec3_minus(place_of(x, corner[3]), o),
                    d = vec3_minus(p, o);
  f64       terms[4];
  const f64 six = rounded_triple(u, v, t, terms), a = rounded_triple(d, v, t, terms + 1),
            b = rounded_triple(u, d, t, terms + 2), c = rounded_triple(u, v, d, terms + 3);
  const f64 all = terms[0] + terms[1] + terms[2] + terms[3];
  w[1] = a / six, w[2] = b / six, w[3] = c / six;
  w[0] = 1 - w[1] - w[2] - w[3];
  return a >= -TRIPLE_ROUNDS * terms[1] && b >= -TRIPLE_ROUNDS * terms[2] && c >= -TRIPLE_ROUNDS * terms[3] &&
         six - a - b - c >= -TRIPLE_ROUNDS * all;
}

/* Whether a way passes an edge (a, b) on the left, of nodes in this order: the sign is that of the way from the lower
 * to the higher node, turned for the other order, so that both facets of an edge agree. */
HD i32 segment_left(const f64 *x, i32 a, i32 b, struct vec3 from, struct vec3 way)
{
  const i32 low = a < b ? a : b, high = a < b ? b : a;
  f64       terms;
  const f64 turn = rounded_triple(vec3_minus(place_of(x, low), from), vec3_minus(place_of(x, high), from), way, &terms);
  return (turn >= 0) == (a < b);
}

/* Whether the way between two places crosses a facet. */
HD i32 segment_crosses(const f64 *x, const i32 *facet, struct vec3 from, struct vec3 to)
{
  const struct vec3 o = place_of(x, facet[0]), u = vec3_minus(place_of(x, facet[1]), o),
                    v = vec3_minus(place_of(x, facet[2]), o), way = vec3_minus(to, from);
  f64       terms;
  const i32 before = rounded_triple(u, v, vec3_minus(from, o), &terms) >= 0,
            after  = rounded_triple(u, v, vec3_minus(to, o), &terms) >= 0;
  if (before == after) return 0;
  const i32 left = segment_left(x, facet[0], facet[1], from, way);
  return left == segment_left(x, facet[1], facet[2], from, way) &&
         left == segment_left(x, facet[2], facet[0], from, way);
}
