/* cells_space.h - cells of a mesh in space as volumes: area vectors of their faces and what these sweep (docs/theory.md,
 * eq. 2.12b), volumes and centroids of cells, weights of the cells about a vertex, and what cell_gradient.h asks of a
 * cell's shape (section 8).  A face is a triangle, or the four triangles about the mean of its corners: so have
 * median duals it (metrics_space.h), and the sum of their volumes is that of the cells.  It runs by the right hand
 * along S.  Coordinates, volumes and swept volumes are always float64; lengths in chords.          */

#define OUTLINE(F) F(in, i32, outline, "faces,4>nodes?") /* corners; the last of a triangle is -1 */

#define HULL 8 /* most corners of a cell */

/* Corners of a face and their mean, relative to a place. */
struct fan {
  struct vec3 at[4], mean;
  i32         corners;
};

HD struct fan fan_of(const f64 *x, const i32 *k, struct vec3 from)
{
  struct fan f;
  f.corners = k[3] < 0 ? 3 : 4;
  f.mean    = vec3_of(0, 0, 0);
  for (i32 c = 0; c < f.corners; c++) {
    f.at[c] = vec3_minus(place_of(x, k[c]), from);
    f.mean  = vec3_plus(f.mean, f.at[c]);
  }
  f.mean = vec3_times(1.0 / f.corners, f.mean);
  return f;
}

/* Fan of a face of a cell, by its row in the table of the cell's kind. */
HD struct fan side_of(const f64 *x, const i32 *nodes, const signed char *face, struct vec3 from)
{
  i32 k[4];
  for (i32 c = 0; c < 4; c++) k[c] = face[c] < 0 ? -1 : nodes[face[c]];
  return fan_of(x, k, from);
}

/* Twice the area vector of the triangle of the mean and the side from corner c on. */
HD struct vec3 fan_double(const struct fan *f, i32 c)
{
  return vec3_cross(vec3_minus(f->at[c], f->mean), vec3_minus(f->at[(c + 1) % f->corners], f->mean));
}

/* Middle of a face: the mean of its triangles' by their areas. */
HD struct vec3 fan_middle(const struct fan *f)
{
  if (f->corners == 3) return f->mean;
  struct vec3 sum  = vec3_of(0, 0, 0);
  f64         size = 0;
  for (i32 c = 0; c < 4; c++) {
    const struct vec3 n = fan_double(f, c), a = vec3_minus(f->at[c], f->mean),
                      b = vec3_minus(f->at[(c + 1) % 4], f->mean);
    const f64 area      = sqrt(vec3_dot(n, n));
    sum                 = vec3_plus(sum, vec3_times(area / 3, vec3_plus(a, b)));
    size += area;
  }
  return size > 0 ? vec3_plus(f->mean, vec3_times(1 / size, sum)) : f->mean;
}

#define SPACE_FACE_NORMALS(F) \
  F(near, f64, x, "nodes,3")  \
  OUTLINE(F)                  \
  F(out, real, S, "faces,3") /* area vector */
KERNEL(face_normals_3d, SPACE_FACE_NORMALS, indirect)
{
  const i32        *k = outline + 4 * i, last = k[3] < 0 ? k[0] : k[3]; /* sum over triangles: of both diagonals */
  const struct vec3 t =
      vec3_cross(vec3_minus(place_of(x, k[2]), place_of(x, k[0])), vec3_minus(place_of(x, last), place_of(x, k[1])));
  S[3 * i] = (real)(0.5 * t.x), S[3 * i + 1] = (real)(0.5 * t.y), S[3 * i + 2] = (real)(0.5 * t.z);
}

/* Volume swept by a face while its corners move linearly from x0 to x1 [chord^3]. */
#define SPACE_FACE_SWEEPS(F)  \
  F(near, f64, x0, "nodes,3") \
  F(near, f64, x1, "nodes,3") \
  OUTLINE(F)                  \
  F(out, f64, dV, "faces")
KERNEL(face_sweeps_3d, SPACE_FACE_SWEEPS, wide)
{
  const i32        *k = outline + 4 * i, m = k[3] < 0 ? 3 : 4;
  const struct vec3 none = vec3_of(0, 0, 0), from0 = place_of(x0, k[0]), from1 = place_of(x1, k[0]);
  struct vec3       at0[4], at1[4], way[4], mean0 = none, mean1 = none, mean = none;
  for (i32 c = 0; c < m; c++) {
    at0[c] = vec3_minus(place_of(x0, k[c]), from0), at1[c] = vec3_minus(place_of(x1, k[c]), from1);
    way[c] = vec3_minus(place_of(x1, k[c]), place_of(x0, k[c])); /* no difference of places far off */
    mean0 = vec3_plus(mean0, at0[c]), mean1 = vec3_plus(mean1, at1[c]), mean = vec3_plus(mean, way[c]);
  }
  if (m == 3) {
    dV[i] = triangle_sweep(at0[1], at0[2], at1[1], at1[2], mean);
    return;
  }
  mean0 = vec3_times(0.25, mean0), mean1 = vec3_times(0.25, mean1), mean = vec3_times(0.25, mean);
  f64 sum = 0;
  for (i32 c = 0; c < 4; c++) {
    const i32 b = (c + 1) % 4;
    sum += triangle_sweep(vec3_minus(at0[c], mean0), vec3_minus(at0[b], mean0), vec3_minus(at1[c], mean1),
                          vec3_minus(at1[b], mean1), vec3_plus(mean, vec3_plus(way[c], way[b])));
  }
  dV[i] = sum;
}

/* Middle of a face: where the states of its cells meet. */
#define SPACE_FACE_MIDDLES(F) \
  F(near, f64, x, "nodes,3")  \
  OUTLINE(F)                  \
  F(out, f64, xf, "faces,3")
KERNEL(face_middles_3d, SPACE_FACE_MIDDLES, indirect)
{
  const i32        *k    = outline + 4 * i;
  const struct vec3 from = place_of(x, k[0]);
  const struct fan  f    = fan_of(x, k, from);
  const struct vec3 at   = vec3_plus(from, fan_middle(&f));
  xf[3 * i] = at.x, xf[3 * i + 1] = at.y, xf[3 * i + 2] = at.z;
}

/* Volume of a cell and its centroid, from tetrahedra between the mean of its vertices and the triangles of its
 * faces.  Cells that fold are a fault of cell_quality_3d, as a corner has no part of them.          */
#define SPACE_CELL_VOLUMES(F)                      \
  F(in, f64, vertex, "vertices,3")                 \
  F(in, i32, cell_starts, "nodes+1>>hull_entries") \
  F(in, i32, cell_nodes, "hull_entries>vertices")  \
  F(out, f64, V, "nodes")                          \
  F(out, f64, x, "nodes,3") /* the centroid */
KERNEL(cell_volumes_3d, SPACE_CELL_VOLUMES, indirect)
{
  const i32         *nodes = cell_nodes + cell_starts[i], corners = cell_starts[i + 1] - cell_starts[i];
  const struct kind *kind = kind_of(corners);
  const struct vec3  a = place_of(vertex, nodes[0]), g = vec3_plus(a, solid_mean(vertex, nodes, corners, a));
  struct vec3        sum = vec3_of(0, 0, 0);
  f64                six = 0; /* times the volume */
  for (i32 s = 0; s < kind->faces; s++) {
    const struct fan f = side_of(vertex, nodes, kind->face[s], g);
    for (i32 c = 0; c < f.corners; c++) {
      const struct vec3 to   = f.at[(c + 1) % f.corners];
      const f64         part = vec3_dot(f.mean, vec3_cross(f.at[c], to));
      six += part;
      sum = vec3_plus(sum, vec3_times(0.25 * part, vec3_plus(f.mean, vec3_plus(f.at[c], to))));
    }
  }
  const struct vec3 at = vec3_plus(g, vec3_times(corners == 4 ? 0 : 1 / six, sum)); /* the mean of a tetrahedron */
  V[i]                 = six / 6;
  x[3 * i] = at.x, x[3 * i + 1] = at.y, x[3 * i + 2] = at.z;
}

/* Axes in the order of how far the cells about a vertex reach along them, each less its part along those before. */
struct frame {
  const real *unit; /* normal of a plane of symmetry through the vertex: images take out what is along it; or 0 */
  i32         axis[3];
  f64         first[2], last; /* parts of the second and third along the first, of the third along the second */
};

HD void frame_ways(const struct frame *f, const f64 *vertex, const f64 *x, f64 *p)
{
  f64 d[3], across = 0;
  for (i32 k = 0; k < 3; k++) d[k] = x[k] - vertex[k];
  for (i32 k = 0; k < 3 && f->unit; k++) across += d[k] * (f64)f->unit[k];
  for (i32 k = 0; k < 3; k++) p[k] = d[f->axis[k]] - (f->unit ? across * (f64)f->unit[f->axis[k]] : 0);
  p[1] -= f->first[0] * p[0];
  p[2] -= f->first[1] * p[0] + f->last * p[1];
}

HD void frame_swap(struct frame *f, i32 a, i32 b)
{
  const i32 kept = f->axis[a];
  f->axis[a] = f->axis[b], f->axis[b] = kept;
}

/* Sums over the cells about a vertex: of ways along the axes, of their squares, of products of one with the next two. */
struct reach {
  f64 sum[3], square[3], with[2];
};

HD struct reach reach_of(const struct frame *f, i32 axis, const f64 *vertex, const f64 *x, const i32 *about, i32 m)
{
  struct reach r = {{0, 0, 0}, {0, 0, 0}, {0, 0}};
  f64          p[3];
  for (i32 e = 0; e < m; e++) {
    frame_ways(f, vertex, x + 3 * about[e], p);
    for (i32 k = 0; k < 3; k++) r.sum[k] += p[k], r.square[k] += p[k] * p[k];
    for (i32 k = 0; k < 2; k++) r.with[k] += p[axis] * p[k + 1];
  }
  return r;
}

HD struct frame frame_of(const real *unit, const f64 *vertex, const f64 *x, const i32 *about, i32 m)
{
  struct frame f = {unit, {0, 1, 2}, {0, 0}, 0};
  struct reach r = reach_of(&f, 0, vertex, x, about, m);
  const i32    longest =
      r.square[1] > r.square[0] ? (r.square[2] > r.square[1] ? 2 : 1) : (r.square[2] > r.square[0] ? 2 : 0);
  frame_swap(&f, 0, longest);
  r          = reach_of(&f, 0, vertex, x, about, m);
  f.first[0] = r.with[0] / r.square[0], f.first[1] = r.with[1] / r.square[0];
  r = reach_of(&f, 1, vertex, x, about, m);
  if (r.square[2] > r.square[1]) {
    const f64 kept = f.first[0];
    f.first[0] = f.first[1], f.first[1] = kept;
    frame_swap(&f, 1, 2);
    r = reach_of(&f, 1, vertex, x, about, m);
  }
  f.last = r.with[1] / r.square[1];
  return f;
}

/* Weights as those of vertex_weights (cells.h), by axes that are orthogonal over the cells.  On a plane of symmetry
 * they are those of the cells and their images.                                                  */
#define SPACE_VERTEX_WEIGHTS(F)              \
  F(in, f64, vertex, "vertices,3")           \
  F(near, f64, x, "nodes,3")                 \
  F(in, i32, starts, "vertices+1>>abouts")   \
  F(in, i32, about, "abouts>nodes")          \
  F(opt, i32, mirrored, "vertices>members?") \
  F(opt, real, plane, "members,3")           \
  F(opt, i32, bounded, "vertices")           \
  F(out, f64, lean, "vertices,3")            \
  F(out, f64, per, "vertices")
KERNEL(vertex_weights_3d, SPACE_VERTEX_WEIGHTS, heavy)
{
  const i32          m = starts[i + 1] - starts[i], *own = about + starts[i];
  const real        *unit = mirrored && mirrored[i] >= 0 ? plane + 3 * mirrored[i] : (const real *)0;
  const f64         *at   = vertex + 3 * i;
  const struct frame f    = frame_of(unit, at, x, own, m);
  const struct reach r    = reach_of(&f, 0, at, x, own, m);
  const f64 y0 = -r.sum[0] / r.square[0], y1 = -r.sum[1] / r.square[1], y2 = unit ? 0 : -r.sum[2] / r.square[2],
            least = 1e-12 * r.square[0];
  f64 by[3], sum = 0, across = 0, low = 0, high = 0;
  by[f.axis[2]] = y2;
  by[f.axis[1]] = y1 - f.last * y2;
  by[f.axis[0]] = y0 - f.first[0] * by[f.axis[1]] - f.first[1] * y2;
  for (i32 k = 0; k < 3 && unit; k++) across += by[k] * (f64)unit[k];
  for (i32 k = 0; k < 3 && unit; k++) by[k] -= across * (f64)unit[k];
  for (i32 e = 0; e < m && bounded && bounded[i]; e++) { /* eq. 8.3a */
    f64 part = 0;
    for (i32 k = 0; k < 3; k++) part += by[k] * (x[3 * own[e] + k] - at[k]);
    low = fmin(low, part), high = fmax(high, part);
  }
  for (i32 k = 0; k < 3 && -low - high > 1; k++) by[k] /= -low - high;
  for (i32 e = 0; e < m; e++) { /* as values have them, so that they are means */
    f64 w = 1;
    for (i32 k = 0; k < 3; k++) w += by[k] * (x[3 * own[e] + k] - at[k]);
    sum += w;
  }
  const i32 told = unit ? m > 2 : m > 3 && r.square[2] > least, good = told && r.square[1] > least;
  const i32 mean = !(good && sum > WEIGHTS_LEAST * m);
  for (i32 k = 0; k < 3; k++) lean[3 * i + k] = mean ? 0 : by[k];
  per[i] = 1 / (mean ? (f64)m : sum);
}

/* Normals of a cell at its corners over its volume: values on a triangle are between those of its corners, of which
 * the mean of a quadrilateral has the mean.                                                      */
#define SPACE_CORNER_NORMALS(F)                    \
  F(in, f64, vertex, "vertices,3")                 \
  F(in, i32, cell_starts, "nodes+1>>hull_entries") \
  F(in, i32, cell_nodes, "hull_entries>vertices")  \
  F(in, f64, V, "nodes")                           \
  F(out, real, corner_normal, "hull_entries,3") /* [1/chord] */
KERNEL(corner_normals_3d, SPACE_CORNER_NORMALS, heavy)
{
  const i32         *k = cell_nodes + cell_starts[i], m = cell_starts[i + 1] - cell_starts[i];
  const struct kind *kind = kind_of(m);
  const struct vec3  a    = place_of(vertex, k[0]);
  f64                normal[3 * HULL];
  for (i32 c = 0; c < 3 * m; c++) normal[c] = 0;
  for (i32 s = 0; s < kind->faces; s++) {
    const signed char *face = kind->face[s];
    const struct fan   f    = side_of(vertex, k, face, a);
    struct vec3        part[4], whole = vec3_of(0, 0, 0);
    for (i32 c = 0; c < f.corners; c++) {
      part[c] = vec3_times(1.0 / 6, fan_double(&f, c)); /* a third of the triangle's area */
      whole   = vec3_plus(whole, part[c]);
    }
    whole = vec3_times(1.0 / f.corners, whole); /* of the mean, in equal parts to the corners */
    for (i32 c = 0; c < f.corners; c++) {
      const struct vec3 n  = vec3_plus(whole, vec3_plus(part[c], part[(c + f.corners - 1) % f.corners]));
      f64              *to = normal + 3 * face[c];
      to[0] += n.x, to[1] += n.y, to[2] += n.z;
    }
  }
  const f64 per = 1 / V[i];
  for (i32 c = 0; c < 3 * m; c++) corner_normal[3 * cell_starts[i] + c] = (real)(per * normal[c]);
}

/* Fields that tell the shape of a cell, and beside them what those of its sides do: inner faces, and those of the
 * boundary in the order of the cells at them.                                                    */
#undef HULLS
#undef CELL_SIDES
#define HULLS(F)                                   \
  F(in, i32, cell_starts, "nodes+1>>hull_entries") \
  F(in, i32, cell_nodes, "hull_entries>vertices")  \
  F(in, real, corner_normal, "hull_entries,3") /* from corner_normals_3d */
#define CELL_SIDES(F)                        \
  F(in, f64, x, "nodes,3")                   \
  F(in, i32, offsets, "nodes+1>>entries")    \
  F(in, i32, neighbour, "entries>nodes")     \
  F(in, i32, edge, "entries>edges")          \
  F(in, f64, xf, "edges,3")                  \
  F(in, i32, outer_starts, "nodes+1>>outer") \
  F(in, f64, outer_xf, "outer,3")

/* Vertices of a cell and their number. */
HD const i32 *cell_hull_3d(const i32 i, i32 *count HULLS(PARAM))
{
  *count = cell_starts[i + 1] - cell_starts[i];
  return cell_nodes + cell_starts[i];
}

/* Normals of a cell at its corners over its volume, of which nothing is left to divide by. */
struct corner_normals_3d {
  const real *normal;
  real        per;
};

HD void corner_normals_load_3d(const i32 i, struct corner_normals_3d *normals HULLS(PARAM))
{
  normals->normal = corner_normal + 3 * cell_starts[i];
  normals->per    = 1;
}

HD void corner_normal_at_3d(const struct corner_normals_3d *normals, const i32 c, real *normal)
{
  LOAD(3, normals->normal + 3 * c, normal);
}

HD i32 cell_sides_3d(const i32 i HULLS(PARAM) CELL_SIDES(PARAM))
{
  return offsets[i + 1] - offsets[i] + outer_starts[i + 1] - outer_starts[i];
}

/* Way from the place of a cell to the middle of its face c, those of the boundary last. */
HD void side_way_3d(const i32 i, const i32 c, real *way HULLS(PARAM) CELL_SIDES(PARAM))
{
  const i32  inner = offsets[i + 1] - offsets[i];
  const f64 *to    = c < inner ? xf + 3 * edge[offsets[i] + c] : outer_xf + 3 * (outer_starts[i] + c - inner);
  for (i32 l = 0; l < 3; l++) way[l] = (real)(to[l] - x[3 * i + l]);
}
