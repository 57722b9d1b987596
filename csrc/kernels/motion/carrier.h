/* carrier.h - nodes of a mesh in space that the tetrahedra of a coarse one, its carrier, bear (docs/theory.md,
 * section 3), in space alone; the last two make the tables of the others, on the host.  Lengths in chords. */

/* Displacement of a place by its four coordinates in a tetrahedron of the carrier. */
HD void carrier_borne(const i32 *corner, const f64 *share, const f64 *moved, const f64 *given, f64 *to)
{
  for (i32 k = 0; k < 3; k++) {
    to[k] = 0;
    for (i32 j = 0; j < 4; j++) to[k] += share[j] * (moved[3 * corner[j] + k] - given[3 * corner[j] + k]);
  }
}

/* Displacements of nodes on walls, less those by the carrier, whose walls are chords of these. */
#define CARRIER_GAPS(F)                                        \
  F(in, i32, node, "walls>nodes!")                             \
  F(in, i32, corner, "walls,4>bearers")                        \
  F(in, f64, share, "walls,4")                                 \
  F(in, f64, moved, "bearers,3") /* the carrier's nodes now */ \
  F(in, f64, given, "bearers,3") /* as given */                \
  F(in, f64, reference, "nodes,3")                             \
  F(in, f64, x, "nodes,3")                                     \
  F(out, f64, gap, "walls,3")
KERNEL(carrier_gaps, CARRIER_GAPS, indirect)
{
  const i32 a = 3 * node[i];
  f64       borne[3];
  carrier_borne(corner + 4 * i, share + 4 * i, moved, given, borne);
  for (i32 k = 0; k < 3; k++) gap[3 * i + k] = (x[a + k] - reference[a + k]) - borne[k];
}

/* Rotation next to the matrix m = 1 + change, less 1: the mean of m and its inverse transposed, again and again.
 * Exactly zero where nothing has changed; zero, too, of a matrix that mirrors or flattens.       */
#define CARRIER_ROUNDS 12
#define CARRIER_FLAT   1e-3
HD void carrier_turn_of(const f64 *change, f64 *turn)
{
  f64 m[9];
  for (i32 k = 0; k < 9; k++) m[k] = change[k] + (k % 4 == 0), turn[k] = 0;
  for (i32 round = 0; round < CARRIER_ROUNDS; round++) {
    const struct vec3 a = vec3_of(m[0], m[1], m[2]), b = vec3_of(m[3], m[4], m[5]), c = vec3_of(m[6], m[7], m[8]);
    const struct vec3 u = vec3_cross(b, c), v = vec3_cross(c, a), w = vec3_cross(a, b);
    const f64         det = vec3_dot(a, u);
    if (!(det > CARRIER_FLAT)) return;
    m[0] = 0.5 * (m[0] + u.x / det), m[1] = 0.5 * (m[1] + u.y / det), m[2] = 0.5 * (m[2] + u.z / det);
    m[3] = 0.5 * (m[3] + v.x / det), m[4] = 0.5 * (m[4] + v.y / det), m[5] = 0.5 * (m[5] + v.z / det);
    m[6] = 0.5 * (m[6] + w.x / det), m[7] = 0.5 * (m[7] + w.y / det), m[8] = 0.5 * (m[8] + w.z / det);
  }
  for (i32 k = 0; k < 9; k++) turn[k] = m[k] - (k % 4 == 0);
}

/* A vector over its length, rounded: n1 - n0 would be one operation with a product on a device, and not zero where
 * both are alike.                                                                                */
HD struct vec3 carrier_unit(struct vec3 a, f64 length)
{
  const f64 per = 1 / length;
  return vec3_of(rounded_product(per, a.x), rounded_product(per, a.y), rounded_product(per, a.z));
}

/* a b^T, added. */
HD void carrier_add_product(f64 *to, struct vec3 a, struct vec3 b)
{
  to[0] += a.x * b.x, to[1] += a.x * b.y, to[2] += a.x * b.z;
  to[3] += a.y * b.x, to[4] += a.y * b.y, to[5] += a.y * b.z;
  to[6] += a.z * b.x, to[7] += a.z * b.y, to[8] += a.z * b.z;
}

/* Displacements of nodes on walls, and the rotation of the facets about each, less 1: next to the mean by areas of
 * the matrices that take a facet's sides and unit normal from where they were given to where they are. */
#define CARRIER_TURNS(F)                                                   \
  F(in, i32, node, "walls>nodes!")                                         \
  F(in, i32, spoke, "walls+1>>facets")                                     \
  F(in, i32, ends, "facets,2>nodes") /* the other corners, in its order */ \
  F(near, f64, reference, "nodes,3")                                       \
  F(near, f64, x, "nodes,3")                                               \
  F(out, f64, shift, "walls,3")                                            \
  F(out, f64, turn, "walls,9")
KERNEL(carrier_turns, CARRIER_TURNS, indirect)
{
  const i32         at    = node[i];
  const struct vec3 given = place_of(reference, at), now = place_of(x, at);
  f64               area = 0, sum[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (i32 e = spoke[i]; e < spoke[i + 1]; e++) {
    const i32         p = ends[2 * e], q = ends[2 * e + 1];
    const struct vec3 a0 = vec3_minus(place_of(reference, p), given), b0 = vec3_minus(place_of(reference, q), given),
                      a1 = vec3_minus(place_of(x, p), now), b1 = vec3_minus(place_of(x, q), now);
    const struct vec3 s0 = vec3_cross(a0, b0), s1 = vec3_cross(a1, b1);
    const f64         size0 = sqrt(vec3_dot(s0, s0)), size1 = sqrt(vec3_dot(s1, s1));
    if (!(size0 > 0 && size1 > 0)) continue;
    const struct vec3 n0 = carrier_unit(s0, size0), n1 = carrier_unit(s1, size1);
    carrier_add_product(sum, vec3_minus(a1, a0), vec3_cross(b0, n0));
    carrier_add_product(sum, vec3_minus(b1, b0), vec3_cross(n0, a0));
    carrier_add_product(sum, vec3_minus(n1, n0), s0);
    area += size0;
  }
  for (i32 k = 0; k < 9; k++) sum[k] = area > 0 ? sum[k] / area : 0;
  carrier_turn_of(sum, turn + 9 * i);
  for (i32 k = 0; k < 3; k++) shift[3 * i + k] = x[3 * at + k] - reference[3 * at + k];
}

/* All other nodes: the carrier's displacement and, near a wall, the gaps of the nearest facet's corners, by weights
 * that fade with the distance.  Still nearer they go with the facet's corners, turned about them.  Nodes in a plane of
 * symmetry stay in it.                                                                            */
#define CARRIER_MAP(F)                                                \
  F(in, i32, node, "carried>nodes!")                                  \
  F(in, i32, corner, "carried,4>bearers")                             \
  F(in, f64, share, "carried,4")                                      \
  F(in, i32, wall, "carried,3>walls?") /* -1: no wall within reach */ \
  F(in, f64, weight, "carried,3")                                     \
  F(in, f64, moved, "bearers,3")                                      \
  F(in, f64, given, "bearers,3")                                      \
  F(in, f64, gap, "walls,3")                                          \
  F(in, f64, close, "carried") /* share of the wall's own turn */     \
  F(in, f64, off, "carried,3") /* way from the wall, as given */      \
  F(in, f64, shift, "walls,3")                                        \
  F(in, f64, turn, "walls,9")                                         \
  F(in, i32, member, "nodes>members")                                 \
  F(in, i32, slides, "nodes")     /* 1: in a plane of symmetry */     \
  F(in, f64, mirror, "members,3") /* unit normal of these planes */   \
  F(in, f64, reference, "nodes,3")                                    \
  F(rw, f64, x, "nodes,3")
KERNEL(carrier_map, CARRIER_MAP, indirect)
{
  const i32  a      = node[i];
  const f64 *normal = mirror + 3 * member[a];
  f64        way[3], across = 0, own[3] = {0, 0, 0}, sum = 0;
  carrier_borne(corner + 4 * i, share + 4 * i, moved, given, way);
  for (i32 j = 0; j < 3; j++) {
    const i32 v = wall[3 * i + j];
    if (v < 0) continue;
    const f64 w = weight[3 * i + j];
    sum += w;
    for (i32 k = 0; k < 3; k++) {
      const f64 *row = turn + 9 * v + 3 * k;
      way[k] += w * gap[3 * v + k];
      own[k] += w * (shift[3 * v + k] + row[0] * off[3 * i] + row[1] * off[3 * i + 1] + row[2] * off[3 * i + 2]);
    }
  }
  for (i32 k = 0; close[i] > 0 && sum > 0 && k < 3; k++) way[k] = (1 - close[i]) * way[k] + close[i] * (own[k] / sum);
  for (i32 k = 0; slides[a] && k < 3; k++) across += way[k] * normal[k];
  for (i32 k = 0; k < 3; k++) x[3 * a + k] = reference[3 * a + k] + (way[k] - across * normal[k]);
}

/* Tetrahedron that holds a place, that in which its least coordinate is the largest, the first of several; and this
 * coordinate, negative outside of all.  -1: in no box.  Those of a box lie side by side.  */
#define CARRIER_NOWHERE -1e300
#define CARRIER_FIND(F)                       \
  F(in, f64, place, "points,3")               \
  F(in, f64, low, "boxes,3")                  \
  F(in, f64, high, "boxes,3")                 \
  F(in, i32, offsets, "boxes+1>>tetrahedra")  \
  F(in, i32, corner, "tetrahedra,4>vertices") \
  F(in, f64, vertex, "vertices,3")            \
  F(size, i32, boxes, "boxes")                \
  F(out, i32, element, "points")              \
  F(out, f64, least, "points")
KERNEL(carrier_find, CARRIER_FIND, heavy)
{
  const f64 *at    = place + 3 * i;
  f64        most  = CARRIER_NOWHERE;
  i32        found = -1;
  for (i32 g = 0; g < boxes; g++) {
    const f64 *from = low + 3 * g, *to = high + 3 * g;
    if (at[0] < from[0] || at[0] > to[0] || at[1] < from[1] || at[1] > to[1] || at[2] < from[2] || at[2] > to[2])
      continue;
    for (i32 e = offsets[g]; e < offsets[g + 1]; e++) {
      const struct vec3 p = vec3_of(at[0], at[1], at[2]), d = place_of(vertex, corner[4 * e + 3]);
      const struct vec3 a = vec3_minus(place_of(vertex, corner[4 * e]), d),
                        b = vec3_minus(place_of(vertex, corner[4 * e + 1]), d),
                        c = vec3_minus(place_of(vertex, corner[4 * e + 2]), d), way = vec3_minus(p, d);
      const f64 six = vec3_dot(a, vec3_cross(b, c));
      const f64 s = vec3_dot(way, vec3_cross(b, c)) / six, t = vec3_dot(way, vec3_cross(c, a)) / six,
                u  = vec3_dot(way, vec3_cross(a, b)) / six;
      const f64 st = s < t ? s : t, uv = u < 1 - (s + t + u) ? u : 1 - (s + t + u), least_of = st < uv ? st : uv;
      if (least_of > most) most = least_of, found = e;
    }
  }
  element[i] = found, least[i] = most;
}

/* Facet nearest to a place, the first of several, in balls about facets that lie side by side (mesh/distance.h). */
#define CARRIER_NEAREST(F)               \
  F(in, f64, place, "points,3")          \
  F(in, f64, vertex, "vertices,3")       \
  F(in, i32, facet, "facets,3>vertices") \
  F(in, i32, offsets, "balls+1>>facets") \
  F(in, f64, middle, "balls,3")          \
  F(in, f64, radius, "balls")            \
  F(size, i32, balls, "balls")           \
  F(out, i32, nearest, "points")         \
  F(out, f64, distance, "points")
KERNEL(carrier_nearest, CARRIER_NEAREST, heavy)
{
  const f64 *at    = place + 3 * i;
  f64        bound = INFINITY, least = INFINITY;
  i32        found = -1;
  for (i32 g = 0; g < balls; g++) { /* no facet is farther than the far side of its ball */
    const f64 far = sqrt(square_between_3d(at, middle + 3 * g)) + radius[g];
    bound         = far < bound ? far : bound;
  }
  bound *= ROUNDED_UP;
  for (i32 g = 0; g < balls; g++) {
    const f64 reach = bound + radius[g];
    if (square_between_3d(at, middle + 3 * g) > reach * reach) continue;
    for (i32 e = offsets[g]; e < offsets[g + 1]; e++) {
      const f64 square = triangle_nearer(vec3_of(at[0], at[1], at[2]), vertex, facet + 3 * e, INFINITY);
      if (square < least) least = square, found = e;
    }
    const f64 now = ROUNDED_UP * sqrt(least);
    bound         = now < bound ? now : bound;
  }
  nearest[i] = found, distance[i] = sqrt(least);
}
