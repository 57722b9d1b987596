/* cells.h - cells of a plane mesh as volumes: area vectors of their edges and what these sweep (docs/theory.md,
 * eq. 2.12), areas and centroids of cells, weights of the cells about a vertex, and what cell_gradient.h asks of a
 * cell's shape (section 8).  An edge runs with the cell that S points out of on its left.
 * Coordinates, volumes and swept volumes are always float64; lengths in chords.                  */

#define FACE_NORMALS(F)             \
  F(near, f64, x, "nodes,2")        \
  F(in, i32, ends, "faces,2>nodes") \
  F(out, real, S, "faces,2") /* area vector */
KERNEL(face_normals, FACE_NORMALS, indirect)
{
  const struct vec2 t = minus(point(x, ends[2 * i + 1]), point(x, ends[2 * i]));
  S[2 * i]            = (real)t.y;
  S[2 * i + 1]        = (real)-t.x;
}

/* Area swept by an edge while its ends move linearly from x0 to x1 [chord^2]. */
#define FACE_SWEEPS(F)              \
  F(near, f64, x0, "nodes,2")       \
  F(near, f64, x1, "nodes,2")       \
  F(in, i32, ends, "faces,2>nodes") \
  F(out, f64, dV, "faces")
KERNEL(face_sweeps, FACE_SWEEPS, indirect)
{
  const i32         p = ends[2 * i], q = ends[2 * i + 1];
  const struct vec2 t0 = minus(point(x0, q), point(x0, p)), t1 = minus(point(x1, q), point(x1, p));
  const struct vec2 dp = minus(point(x1, p), point(x0, p)), dq = minus(point(x1, q), point(x0, q));
  dV[i] = segment_sweep(t0, t1, vec2_of(0.5 * (dp.x + dq.x), 0.5 * (dp.y + dq.y)));
}

/* Middle of an edge: where the states of its cells meet. */
#define FACE_MIDDLES(F)             \
  F(near, f64, x, "nodes,2")        \
  F(in, i32, ends, "faces,2>nodes") \
  F(out, f64, xf, "faces,2")
KERNEL(face_middles, FACE_MIDDLES, indirect)
{
  const struct vec2 p = point(x, ends[2 * i]), q = point(x, ends[2 * i + 1]);
  xf[2 * i]     = p.x + 0.5 * (q.x - p.x);
  xf[2 * i + 1] = p.y + 0.5 * (q.y - p.y);
}

/* Area of a cell and its centroid, from triangles about the mean of its vertices. */
#define CELL_VOLUMES(F)                        \
  F(in, f64, vertex, "vertices,2")             \
  F(in, i32, corners, "nodes,4>vertices?")     \
  F(in, i32, member, "nodes>members")          \
  F(out, f64, V, "nodes")                      \
  F(out, f64, x, "nodes,2") /* the centroid */ \
  F(inc, u64, faults, "members")
KERNEL(cell_volumes, CELL_VOLUMES, indirect)
{
  const i32        *k = corners + 4 * i, m = k[3] < 0 ? 3 : 4;
  const struct vec2 a = point(vertex, k[0]), g = cell_mean(vertex, k, a);
  struct vec2       from = minus(minus(point(vertex, k[m - 1]), a), g), sum = vec2_of(0, 0);
  f64               area = 0;
  for (i32 v = 0; v < m; v++) { /* corners relative to the mean, which is of the triangle, too */
    const struct vec2 to   = minus(minus(point(vertex, k[v]), a), g);
    const f64         part = 0.5 * cross(from, to);
    area += part;
    sum.x += part * (from.x + to.x) / 3, sum.y += part * (from.y + to.y) / 3;
    from = to;
  }
  V[i]         = area;
  x[2 * i]     = a.x + (g.x + (m > 3 ? sum.x / area : 0));
  x[2 * i + 1] = a.y + (g.y + (m > 3 ? sum.y / area : 0));
  if (!(area > 0)) fault(&faults[member[i]], FAULT_AREA, i);
}

/* The part of weights by place, lessened until none is below zero by more than another is above one (eq. 8.3a).  In
 * layers that bend by more than their thickness a vertex does not lie among its cells, and marches on values that
 * are extrapolated back to it diverge (docs/convergence.md).                                     */
HD struct vec2 bounded_lean(const struct vec2 by, const struct vec2 a, const i32 first, const i32 last,
                            const i32 *about, const f64 *x)
{
  f64 least = 0, most = 0;
  for (i32 e = first; e < last; e++) {
    const struct vec2 d    = minus(point(x, about[e]), a);
    const f64         part = by.x * d.x + by.y * d.y;
    least = fmin(least, part), most = fmax(most, part);
  }
  const f64 share = -least - most > 1 ? 1 / (-least - most) : 1;
  return vec2_of(share * by.x, share * by.y);
}

/* Weights 1 + lean.(x - vertex) of the cells about a vertex, with which their mean is exact for linear fields
 * (Holmes and Connell, AIAA 89-1932; docs/theory.md, eq. 8.3), and the inverse of their sum.  Where cells lie so
 * that no linear field can be told from them, the plain mean.  Axes are made orthogonal one by one: the
 * determinant of the sums would lose the square of the cells' aspect ratio.                      */
#define WEIGHTS_LEAST 1e-3 /* sum of weights over their number; none: cells on one line beside the vertex */
#define VERTEX_WEIGHTS(F)                                                          \
  F(in, f64, vertex, "vertices,2")                                                 \
  F(near, f64, x, "nodes,2")                                                       \
  F(in, i32, starts, "vertices+1>>abouts")                                         \
  F(in, i32, about, "abouts>nodes")                                                \
  F(in, i32, bounded, "vertices") /* within the domain, of quadrilaterals alone */ \
  F(out, f64, lean, "vertices,2")                                                  \
  F(out, f64, per, "vertices")
KERNEL(vertex_weights, VERTEX_WEIGHTS, indirect)
{
  const struct vec2 a  = point(vertex, i);
  const i32         m  = starts[i + 1] - starts[i];
  f64               xx = 0, xy = 0, yy = 0;
  for (i32 e = starts[i]; e < starts[i + 1]; e++) {
    const struct vec2 d = minus(point(x, about[e]), a);
    xx += d.x * d.x, xy += d.x * d.y, yy += d.y * d.y;
  }
  const i32 steep = yy > xx; /* the longer axis first, the other less its part along it */
  const f64 pp = steep ? yy : xx, c = xy / pp;
  f64       oo = 0, sp = 0, so = 0, sum = 0;
  for (i32 e = starts[i]; e < starts[i + 1]; e++) {
    const struct vec2 d     = minus(point(x, about[e]), a);
    const f64         along = steep ? d.y : d.x, other = (steep ? d.x : d.y) - c * along;
    oo += other * other, sp += along, so += other;
  }
  const f64   second = -so / oo, first = -sp / pp - second * c;
  struct vec2 by = steep ? vec2_of(second, first) : vec2_of(first, second);
  if (bounded[i]) by = bounded_lean(by, a, starts[i], starts[i + 1], about, x);
  for (i32 e = starts[i]; e < starts[i + 1]; e++) { /* as values have them, so that they are means */
    const struct vec2 d = minus(point(x, about[e]), a);
    sum += 1 + by.x * d.x + by.y * d.y;
  }
  const i32 good  = m > 2 && oo > 1e-12 * pp && sum > WEIGHTS_LEAST * m;
  lean[2 * i]     = good ? by.x : 0;
  lean[2 * i + 1] = good ? by.y : 0;
  per[i]          = 1 / (good ? sum : (f64)m);
}

/* Fields that tell the shape of a cell, and beside them what those of its sides do. */
#undef HULLS
#undef CELL_SIDES
#define HULLS(F)                   \
  F(in, f64, vertex, "vertices,2") \
  F(in, i32, corners, "nodes,4>vertices?")
#define CELL_SIDES(F)                     \
  F(in, f64, x, "nodes,2")                \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")

/* Vertices of a cell and their number. */
HD const i32 *cell_hull(const i32 i, i32 *count HULLS(PARAM))
{
  const i32 *k = corners + CORNERS * i;
  *count       = k[3] < 0 ? 3 : 4;
  return k;
}

/* Normals of a cell at its corners, the value on an edge being the mean of its ends, and the inverse of its area. */
struct corner_normals {
  f64  normal[2 * CORNERS];
  real per;
};

HD void corner_normals_load(const i32 i, struct corner_normals *normals HULLS(PARAM))
{
  f64 area;
  cell_normals(vertex, corners + CORNERS * i, normals->normal, &area);
  normals->per = (real)(1 / area);
}

HD void corner_normal_at(const struct corner_normals *normals, const i32 c, real *normal)
{
  normal[0] = (real)normals->normal[2 * c], normal[1] = (real)normals->normal[2 * c + 1];
}

HD i32 cell_sides(const i32 i HULLS(PARAM) CELL_SIDES(PARAM))
{
  i32 m;
  cell_hull(i, &m HULLS(NAME));
  return m;
}

/* Way from the place of a cell to the middle of its edge c. */
HD void side_way(const i32 i, const i32 c, real *way HULLS(PARAM) CELL_SIDES(PARAM))
{
  i32               m;
  const i32        *k  = cell_hull(i, &m HULLS(NAME));
  const struct vec2 at = point(x, i);
  const struct vec2 a = minus(point(vertex, k[c]), at), b = minus(point(vertex, k[(c + 1) % m]), at);
  way[0] = (real)(0.5 * (a.x + b.x)), way[1] = (real)(0.5 * (a.y + b.y));
}
