/* facets_space.h - facets and gradients of the cells of a mesh in space (docs/theory.md, eq. 7.1 to 7.3): a facet is
 * what a cell has of the dual's face across an edge, two triangles (metrics_space.h) [chord^2]. */
#undef CELL_OF
#undef CELL_SHAPE
#undef FACETS
#undef FACETS_FROM
#undef FACETS_TO
#undef FACET_ENTRIES
#undef FACE_SIZE
#undef SPIN
#undef WAYS
#undef WAYS_OF
#undef RIM
#define CELL_OF(c)     cell_nodes + cell_starts[c], cell_starts[(c) + 1] - cell_starts[c] /* its corners, how many */
#define FACETS_FROM(i) ring_offsets[i]
#define FACETS_TO(i)   ring_offsets[(i) + 1]
#define FACET_ENTRIES  "ring_entries"
#define FACE_SIZE(V)   cbrt((V) * (V))
#define SPIN           "bnodes,3"
#define FACETS(F)            \
  F(near, f64, x, "nodes,3") \
  RINGS(F)
#define CELL_SHAPE(F)                                \
  F(near, f64, x, "nodes,3")                         \
  F(in, i32, cell_starts, "cells+1>>corner_entries") \
  F(in, i32, cell_nodes, "corner_entries>nodes")

/* Area vectors of a facet and of its triangles, from the first node of the edge to the second, ways from the edge's
 * middle to those of the triangles, and whether the cell is a tetrahedron, whose gradient has the difference along
 * the edge. */
struct facet_3d {
  real S[3], part[2][3], off[2][3];
  i32  simple;
};

HD void facet_triangle(struct facet_3d *f, i32 k, struct vec3 p, struct vec3 q)
{
  const struct vec3 S = vec3_times(0.5, vec3_cross(p, q)), off = vec3_times(1.0 / 3, vec3_plus(p, q));
  f->part[k][0] = (real)S.x, f->part[k][1] = (real)S.y, f->part[k][2] = (real)S.z;
  f->off[k][0] = (real)off.x, f->off[k][1] = (real)off.y, f->off[k][2] = (real)off.z;
}

/* Entry e of the facets of edge i, and the number of its cell. */
HD i32 facet_of_3d(i32 i, i32 e, struct facet_3d *f FACETS(PARAM))
{
  const struct vec3 from = place_of(x, lr[2 * i]), M = vec3_times(0.5, vec3_minus(place_of(x, lr[2 * i + 1]), from));
  const struct ring r = ring_of(ring_cell[e], ring_local[e], cell_starts, cell_nodes);
  const struct vec3 C = vec3_minus(solid_mean(x, r.nodes, r.corners, from), M);
  (void)ring_offsets;
  facet_triangle(f, 0, vec3_minus(kind_face_mean(x, r.nodes, r.second, from), M), C);
  facet_triangle(f, 1, C, vec3_minus(kind_face_mean(x, r.nodes, r.first, from), M));
  for (i32 k = 0; k < 3; k++) f->S[k] = f->part[0][k] + f->part[1][k];
  f->simple = r.corners == 4;
  return ring_cell[e];
}

/* Flux through a facet of a vector at nodes, interpolated with its slopes in the cells. */
HD real facet_brings_3d(const real *vector, const real *slope, i32 a, i32 b, const struct facet_3d *f)
{
  real sum = 0;
  for (i32 k = 0; k < 3; k++) {
    sum += R(0.5) * (vector[3 * a + k] + vector[3 * b + k]) * f->S[k];
    for (i32 t = 0; t < 2; t++) sum += vec_dot_3d(slope + 3 * k, f->off[t]) * f->part[t][k];
  }
  return sum;
}

/* Ways across a cell from its first corner to the others, and a vector each: a gradient is the sum of vectors times
 * what values grow by.  The vector of a corner is what it has of the cell's faces, fanned about their means, over the
 * volume: the integral of what is linear in each triangle, exact for linear fields (eq. 7.1). */
#define WAYS 7
struct ways_3d {
  i32 from[WAYS], to[WAYS], count;
  f64 n[WAYS * 3];
};
#define WAYS_OF(w) (w).count
HD void cell_ways_3d(const f64 *x, const i32 *k, i32 corners, struct ways_3d *w)
{
  const struct kind *kind = kind_of(corners);
  const struct vec3  from = place_of(x, k[0]);
  f64                n[8 * 3], volume = 0;
  for (i32 v = 0; v < 3 * corners; v++) n[v] = 0;
  for (i32 f = 0; f < kind->faces; f++) {
    const signed char *face = kind->face[f];
    const i32          m    = face[3] < 0 ? 3 : 4;
    const struct vec3  F    = kind_face_mean(x, k, face, from);
    struct vec3        last = vec3_minus(vec3_minus(place_of(x, k[face[m - 1]]), from), F), all = vec3_of(0, 0, 0);
    for (i32 v = 0; v < m; v++) {
      const struct vec3 next = vec3_minus(vec3_minus(place_of(x, k[face[v]]), from), F), T = vec3_cross(last, next);
      f64              *a = n + 3 * face[v ? v - 1 : m - 1], *b = n + 3 * face[v];
      a[0] += T.x, a[1] += T.y, a[2] += T.z;
      b[0] += T.x, b[1] += T.y, b[2] += T.z;
      all  = vec3_plus(all, T);
      last = next;
    }
    volume += vec3_dot(all, F);
    for (i32 v = 0; v < m; v++) {
      f64 *a = n + 3 * face[v];
      a[0] += all.x / m, a[1] += all.y / m, a[2] += all.z / m;
    }
  }
  w->count = corners - 1;
  for (i32 v = 0; v < w->count; v++) {
    w->from[v] = k[0], w->to[v] = k[v + 1];
    for (i32 d = 0; d < 3; d++) w->n[3 * v + d] = n[3 * v + 3 + d] / volume; /* sixths, of both */
  }
}

/* Part of a cell in the dual of its corner `at`. */
HD f64 corner_part_3d(const f64 *x, const i32 *nodes, i32 corners, i32 at)
{
  f64 share[8];
  corner_shares(x, nodes, corners, kind_of(corners), share);
  return share[at];
}

/* Faces at a node of the boundary: of each the next and the last corner, and that across, -1 in triangles. */
#define RIM(F)                                 \
  F(in, i32, face_offsets, "bnodes+1>>bfaces") \
  F(in, i32, faces, "bfaces,3>nodes?")

/* Flow through a triangle from a node (at the origin) over p and q; sum: of the vector at its three corners. */
HD f64 triangle_outflow(struct vec3 p, struct vec3 q, struct vec3 sum)
{
  return vec3_dot(vec3_cross(p, q), sum) / 6;
}

/* A flow out of the dual of a boundary node i, with what flows out through its faces, which are fanned about their means, velocities being linear in
 * each triangle; an open end has that of the node itself. */
HD f64 rim_outflow_3d(f64 sum, i32 i, const i32 *node, const i32 *open, const f64 *x, const real *u RIM(PARAM))
{
  const i32         a    = node[i];
  const struct vec3 from = place_of(x, a), own = vec3_of(u[3 * a], u[3 * a + 1], u[3 * a + 2]);
  for (i32 e = face_offsets[i]; e < face_offsets[i + 1]; e++) {
    const i32   m = faces[3 * e + 2] < 0 ? 3 : 4;
    struct vec3 way[2], grows[2], F = vec3_of(0, 0, 0), G = vec3_of(0, 0, 0); /* by what values grow */
    for (i32 k = 0; k < m - 1; k++) {
      const i32         j = faces[3 * e + k];
      const real       *v = u + 3 * (open[j] ? a : j);
      const struct vec3 p = vec3_minus(place_of(x, j), from), g = vec3_minus(vec3_of(v[0], v[1], v[2]), own);
      if (k < 2) way[k] = vec3_times(0.5, p), grows[k] = vec3_times(0.5, g);
      F = vec3_plus(F, vec3_times(1.0 / m, p)), G = vec3_plus(G, vec3_times(1.0 / m, g));
    }
    sum += triangle_outflow(way[0], F, vec3_plus(vec3_times(3, own), vec3_plus(grows[0], G))) +
           triangle_outflow(F, way[1], vec3_plus(vec3_times(3, own), vec3_plus(G, grows[1])));
  }
  return sum;
}
