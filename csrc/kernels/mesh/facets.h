/* facets.h - facets and gradients of the cells of a plane mesh (docs/theory.md, eq. 7.1 to 7.3): a facet is
 * the segment from the middle of an edge to the vertex average of a cell at that edge [chord]. */

#define CORNERS        4                               /* of a cell, at most; the last of a triangle is -1 */
#define SIDES          2                               /* cells at an edge, at most */
#define CELL_OF(c)     corners + CORNERS *(c), CORNERS /* its corners, how many at most */
#define FACETS_FROM(i) (SIDES * (i))
#define FACETS_TO(i)   (SIDES * (i) + SIDES)
#define FACET_ENTRIES  "edges," STR(SIDES)
#define FACE_SIZE(V)   sqrt(V) /* of a volume's faces */
#define SPIN           "bnodes"
#define FACETS(F)                                          \
  F(near, f64, x, "nodes," STR(DIM))                       \
  F(in, i32, lr, "edges,2>nodes")                          \
  F(in, i32, cells_of_edge, "edges," STR(SIDES) ">cells?") \
  F(in, i32, corners, "cells," STR(CORNERS) ">nodes?")
#define CELL_SHAPE(F)                \
  F(near, f64, x, "nodes," STR(DIM)) \
  F(in, i32, corners, "cells," STR(CORNERS) ">nodes?")

/* Area vector, from the first node of the edge to the second, way from the edge's middle to the facet's, and
 * whether the cell is a triangle, whose gradient has the difference along the edge. */
struct facet {
  real S[DIM], off[DIM];
  i32  simple;
};

/* Entry e of the facets of edge i, one on each side, and the number of its cell; -1 where there is none. */
HD i32 facet_of(i32 i, i32 e, struct facet *f FACETS(PARAM))
{
  const i32 c = cells_of_edge[e], side = e - SIDES * i;
  if (c < 0) return c;
  const struct vec2 a = point(x, lr[2 * i]), ab = minus(point(x, lr[2 * i + 1]), a);
  const struct vec2 g = cell_mean(x, corners + CORNERS * c, a), t = minus(g, vec2_of(0.5 * ab.x, 0.5 * ab.y));
  const f64         sign = side ? -1 : 1; /* as in dual_normals */
  f->simple              = corners[CORNERS * c + 3] < 0;
  f->S[0] = (real)(sign * t.y), f->S[1] = (real)(-sign * t.x);
  f->off[0] = (real)(0.5 * t.x), f->off[1] = (real)(0.5 * t.y);
  return c;
}

/* Flux through a facet of a vector at nodes, interpolated with its slopes in the cells. */
HD real facet_brings(const real *vector, const real *slope, i32 a, i32 b, const struct facet *f)
{
  real sum = 0;
  for (i32 k = 0; k < DIM; k++)
    sum += (R(0.5) * (vector[DIM * a + k] + vector[DIM * b + k]) + vec_dot(slope + DIM * k, f->off)) * f->S[k];
  return sum;
}

/* Normals of a cell at its corners, half of each of both edges' there, and its area: sum of values times
 * normals over area is the gradient, exact for linear fields (eq. 7.1). */
HD i32 cell_normals(const f64 *x, const i32 *k, f64 *normal, f64 *area)
{
  const i32         m   = k[3] < 0 ? 3 : 4;
  const struct vec2 a   = point(x, k[0]);
  f64               sum = 0;
  for (i32 v = 0; v < m; v++) {
    const struct vec2 t = minus(point(x, k[(v + 1) % m]), point(x, k[(v + m - 1) % m]));
    normal[2 * v] = 0.5 * t.y, normal[2 * v + 1] = -0.5 * t.x;
    if (v > 1) sum += 0.5 * cross(minus(point(x, k[v - 1]), a), minus(point(x, k[v]), a));
  }
  *area = sum;
  return m;
}

/* Ways across a cell from corner to corner, and a vector each: a gradient is the sum of vectors times what values
 * grow by, exact for linear fields (eq. 7.1).  Opposite corners; a triangle has its first one twice. */
#define WAYS 2
struct ways {
  i32 from[WAYS], to[WAYS];
  f64 n[WAYS * DIM];
};
#define WAYS_OF(w) WAYS
HD void cell_ways(const f64 *x, const i32 *k, i32 corners, struct ways *w)
{
  (void)corners;
  const i32         last = k[3] < 0 ? k[0] : k[3];
  const struct vec2 up = minus(point(x, k[2]), point(x, k[0])), back = minus(point(x, last), point(x, k[1]));
  const f64         per = 1 / cross(up, back); /* half of the vectors turned over the area, half of this */
  w->from[0] = last, w->to[0] = k[1], w->n[0] = per * up.y, w->n[1] = -per * up.x;
  w->from[1] = k[0], w->to[1] = k[2], w->n[2] = per * back.y, w->n[3] = -per * back.x;
}

/* Part of a cell in the dual of its corner `at` (dual_volumes). */
HD f64 corner_part(const f64 *x, const i32 *k, i32 corners, i32 at)
{
  (void)corners;
  const i32         m = k[3] < 0 ? 3 : 4;
  const struct vec2 a = point(x, k[at]), g = cell_mean(x, k, a);
  const struct vec2 next   = minus(point(x, k[at + 1 < m ? at + 1 : 0]), a);
  const struct vec2 before = minus(point(x, k[at > 0 ? at - 1 : m - 1]), a);
  return 0.25 * (cross(next, g) + cross(g, before));
}

/* Edges at a node of the boundary. */
#define RIM(F) F(in, i32, ends, "bnodes,2>nodes?")

/* Area vectors of the half edges of a boundary node i, before and after it, and the nodes at their ends. */
HD i32 half_edge(i32 i, i32 side, const f64 *x, const i32 *node, const i32 *ends, real *S)
{
  const i32 e = ends[2 * i + side];
  if (e < 0) return e;
  const struct vec2 t = side ? minus(point(x, e), point(x, node[i])) : minus(point(x, node[i]), point(x, e));
  S[0] = (real)(0.5 * t.y), S[1] = (real)(-0.5 * t.x);
  return e;
}

/* A flow out of the dual of a boundary node i, with what flows out through its half edges, velocities being linear
 * along them; an open end has that of the node itself. */
HD f64 rim_outflow(f64 sum, i32 i, const i32 *node, const i32 *open, const f64 *x, const real *u RIM(PARAM))
{
  const i32 a = node[i];
  for (i32 side = 0; side < 2; side++) {
    real      S[DIM];
    const i32 e = half_edge(i, side, x, node, ends, S);
    if (e < 0) continue;
    const real *end = u + DIM * (open[e] ? a : e);
    sum += (f64)(R(0.75) * vec_dot(u + DIM * a, S) + R(0.25) * vec_dot(end, S));
  }
  return sum;
}
