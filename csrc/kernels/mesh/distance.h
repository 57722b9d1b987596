/* distance.h - exact distance of volumes to the nearest of their member's facets, the walls without slip
 * (docs/theory.md): a facet is looked at where no other one is known to be nearer [chord].
 * Facets are edges, in space triangles.  Those of a member that lie side by side stand one behind the other, in
 * groups of consecutive ones; in float64 in both precisions.                                     */

HD f64 N(square_between)(const f64 *a, const f64 *b)
{
  f64 sum = 0;
  for (i32 k = 0; k < DIM; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/* Circle (in space sphere) about the corners of each group's facets: about the middle of their box.  A radius
 * that rounding has made too short would hide the facet at which a place lies.                   */
#define ROUNDED_UP (1 + 1e-14)
#define WALL_GROUPS(F)                                                    \
  F(in, f64, vertex, "vertices," STR(DIM))                                \
  F(in, i32, facet, "facets," STR(DIM) ">vertices") /* corners of each */ \
  F(in, i32, offsets, "groups+1>>facets")                                 \
  F(out, f64, middle, "groups," STR(DIM)) /* of the circle */             \
  F(out, f64, radius, "groups")
KERNEL(N(wall_groups), WALL_GROUPS, heavy)
{
  const i32 first = DIM * offsets[i], end = DIM * offsets[i + 1];
  f64       low[DIM], high[DIM], square = 0;
  for (i32 k = 0; k < DIM; k++) low[k] = INFINITY, high[k] = -INFINITY;
  for (i32 e = first; e < end; e++)
    for (i32 k = 0; k < DIM; k++) {
      const f64 at = vertex[DIM * facet[e] + k];
      low[k]       = at < low[k] ? at : low[k];
      high[k]      = at > high[k] ? at : high[k];
    }
  for (i32 k = 0; k < DIM; k++) middle[DIM * i + k] = low[k] + 0.5 * (high[k] - low[k]);
  for (i32 e = first; e < end; e++) {
    const f64 here = N(square_between)(vertex + DIM * facet[e], middle + DIM * i);
    square         = here > square ? here : square;
  }
  radius[i] = ROUNDED_UP * sqrt(square);
}

#if DIM == 2
/* The lesser of `least` and the square of the distance of a place to an edge: that to an end where the place is
 * not beside the edge, so that it is zero at both.  A division where it is the lesser alone.      */
HD f64 edge_nearer(struct vec2 place, const f64 *vertex, const i32 *corner, f64 least)
{
  const struct vec2 a = point(vertex, corner[0]), b = point(vertex, corner[1]), way = minus(b, a);
  const struct vec2 p = minus(place, a), q = minus(place, b);
  if (!(dot(p, way) > 0)) return dot(p, p) < least ? dot(p, p) : least;
  if (!(dot(q, way) < 0)) return dot(q, q) < least ? dot(q, q) : least;
  const f64 across = cross(p, way), length = dot(way, way);
  return across * across < least * length ? across * across / length : least;
}

/* The lesser of `least` and that to the facets of a group. */
HD f64 N(group_nearer)(const f64 *at, const f64 *vertex, const i32 *facet, const i32 *range, f64 least)
{
  const struct vec2 place = vec2_of(at[0], at[1]);
  for (i32 e = range[0]; e < range[1]; e++) least = edge_nearer(place, vertex, facet + 2 * e, least);
  return least;
}
#else
/* The lesser of `least` and the square of the distance to the edge between two corners, as `edge_nearer`; a place
 * from these, p and q.                                                                           */
HD f64 side_nearer(struct vec3 p, struct vec3 q, struct vec3 way, f64 least)
{
  if (!(vec3_dot(p, way) > 0)) return vec3_dot(p, p) < least ? vec3_dot(p, p) : least;
  if (!(vec3_dot(q, way) < 0)) return vec3_dot(q, q) < least ? vec3_dot(q, q) : least;
  const struct vec3 across = vec3_cross(p, way);
  const f64         square = vec3_dot(across, across), length = vec3_dot(way, way);
  return square < least * length ? square / length : least;
}

/* The lesser of `least` and the square of the distance to a triangle: to its plane where the place is above or below
 * it, else to its edges, of one without an area as well.  Each comes from ways to its corners, so that it is zero at
 * these.                                                                                         */
HD f64 triangle_nearer(struct vec3 place, const f64 *vertex, const i32 *corner, f64 least)
{
  const struct vec3 a = place_of(vertex, corner[0]), b = place_of(vertex, corner[1]), c = place_of(vertex, corner[2]);
  const struct vec3 ab = vec3_minus(b, a), bc = vec3_minus(c, b), ca = vec3_minus(a, c);
  const struct vec3 p = vec3_minus(place, a), q = vec3_minus(place, b), r = vec3_minus(place, c);
  const struct vec3 normal = vec3_cross(ab, bc);
  const f64         square = vec3_dot(normal, normal), height = vec3_dot(p, normal);
  if (vec3_dot(vec3_cross(ab, p), normal) > 0 && vec3_dot(vec3_cross(bc, q), normal) > 0 &&
      vec3_dot(vec3_cross(ca, r), normal) > 0)
    return height * height < least * square ? height * height / square : least;
  return side_nearer(p, q, ab, side_nearer(q, r, bc, side_nearer(r, p, ca, least)));
}

/* The lesser of `least` and that to the facets of a group. */
HD f64 N(group_nearer)(const f64 *at, const f64 *vertex, const i32 *facet, const i32 *range, f64 least)
{
  const struct vec3 place = vec3_of(at[0], at[1], at[2]);
  for (i32 e = range[0]; e < range[1]; e++) least = triangle_nearer(place, vertex, facet + 3 * e, least);
  return least;
}
#endif

/* First the facets of the group that is nearest by |x - middle| + radius, which no distance to it exceeds; then
 * those of groups with |x - middle| - radius below what has been found.  Without facets: infinite. */
#define WALL_DISTANCE(F)                            \
  F(in, i32, member, "nodes>members")               \
  F(in, f64, x, "nodes," STR(DIM))                  \
  F(in, f64, vertex, "vertices," STR(DIM))          \
  F(in, i32, facet, "facets," STR(DIM) ">vertices") \
  F(in, i32, offsets, "groups+1>>facets")           \
  F(in, f64, middle, "groups," STR(DIM))            \
  F(in, f64, radius, "groups")                      \
  F(in, i32, groups, "members+1>>groups")           \
  F(out, f64, distance, "nodes")
KERNEL(N(wall_distance), WALL_DISTANCE, heavy)
{
  const i32 first = groups[member[i]], end = groups[member[i] + 1];
  f64       at[DIM], bound = INFINITY, least = INFINITY;
  i32       nearest = first;
  N(place_load)(x, i, at);
  for (i32 g = first; g < end; g++) {
    const f64 room = bound - radius[g], square = N(square_between)(at, middle + DIM * g);
    if (!(room > 0 && square < room * room)) continue; /* a root where the bound becomes less alone */
    bound   = sqrt(square) + radius[g];
    nearest = g;
  }
  if (first < end) least = N(group_nearer)(at, vertex, facet, offsets + nearest, least);
  bound = sqrt(least);
  for (i32 g = first; g < end; g++) {
    const f64 reach = bound + radius[g];
    if (g == nearest || !(N(square_between)(at, middle + DIM * g) < reach * reach)) continue;
    least = N(group_nearer)(at, vertex, facet, offsets + g, least);
    bound = sqrt(least);
  }
  distance[i] = bound;
}
