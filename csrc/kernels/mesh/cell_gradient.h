/* cell_gradient.h - gradients of cells by values at vertices, once per dimension (docs/theory.md, section 8); shapes of
 * cells are in cells.h and cells_space.h.  Units of gas.h, per chord.                             */

/* In space the member on whose plane of symmetry a vertex is, or -1, and the normals of these. */
#undef MIRRORED
#if DIM == 2
#define MIRRORED(F)
#else
#define MIRRORED(F)                          \
  F(opt, i32, mirrored, "vertices>members?") \
  F(opt, real, plane, "members,3")
#endif
/* The primitive state at a vertex, the weighted mean of the cells about it; plain without lean.  On a plane
 * of symmetry images have the opposite velocity across it.                                       */
#define VERTEX_VALUES(F)                        \
  F(in, i32, vertex_member, "vertices>members") \
  F(in, i32, active, "members")                 \
  F(in, f64, vertex, "vertices," STR(DIM))      \
  F(near, f64, x, "nodes," STR(DIM))            \
  F(in, i32, starts, "vertices+1>>abouts")      \
  F(in, i32, about, "abouts>nodes")             \
  F(opt, f64, lean, "vertices," STR(DIM))       \
  F(in, f64, per, "vertices")                   \
  MIRRORED(F)                                   \
  F(near, real, q, "nodes," STR(NV))            \
  F(out, real, value, "vertices," STR(NV))
KERNEL(N(vertex_values), VERTEX_VALUES, indirect)
{
  if (!active[vertex_member[i]]) return;
  real sum[NV];
  for (i32 k = 0; k < NV; k++) sum[k] = 0;
  for (i32 e = starts[i]; e < starts[i + 1]; e++) {
    const i32 c = about[e];
    f64       w = 1;
    for (i32 k = 0; k < DIM && lean; k++) w += lean[DIM * i + k] * (x[DIM * c + k] - vertex[DIM * i + k]);
    real there[NV];
    N(state_load)(q + NV * c, there);
    for (i32 k = 0; k < NV; k++) sum[k] += (real)w * there[k];
  }
  for (i32 k = 0; k < NV; k++) sum[k] *= (real)per[i];
#if DIM == 3
  if (mirrored && mirrored[i] >= 0) along_3d(plane + 3 * mirrored[i], sum + VELOCITY);
#endif
  N(state_put)(value + NV * i, sum);
}

/* Fields that gradients of cells read: values at vertices; for limits also the cells across the faces. */
#define CELL_GRADIENT_FIELDS(F)           \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  HULLS(F)                                \
  F(in, real, value, "vertices," STR(NV)) \
  F(near, real, q, "nodes," STR(NV))
#define CELL_LIMIT_FIELDS(F) CELL_GRADIENT_FIELDS(F) CELL_SIDES(F)

/* Gradient of Green and Gauss, values on faces being those between their corners: the sum over corners of the
 * normal that each has of the cell's faces times the value, over the volume (docs/theory.md, eq. 8.2); and the
 * room to the corners.                                                                           */
HD void N(cell_slope)(const i32 i, const i32 lane, struct N(slope) * s CELL_GRADIENT_FIELDS(PARAM))
{
  i32        m;
  const i32 *k = N(cell_hull)(i, &m HULLS(NAME));
  real       along[NG]; /* one axis after the other */
  struct N(corner_normals) normals;
  N(slope_begin)(q, i, s);
  for (i32 v = 0; v < NG; v++) along[v] = 0;
  N(corner_normals_load)(i, &normals HULLS(NAME));
  for (i32 c = lane; c < m; c += PARTS(PAIR)) {
    real there[NV], change[NV], normal[DIM];
    N(state_load)(value + NV * k[c], there);
    N(corner_normal_at)(&normals, c, normal);
    N(slope_widen)(there, s);
    for (i32 v = 0; v < NV; v++) change[v] = there[v] - s->own[v];
    for (i32 l = 0; l < DIM; l++)
      for (i32 v = 0; v < NV; v++) along[NV * l + v] += change[v] * normal[l];
  }
  for (i32 l = 0; l < DIM; l++)
    for (i32 v = 0; v < NV; v++) s->g[DIM * v + l] = along[NV * l + v] * normals.per;
  N(slope_together)(s);
}

/* The room that velocities across a cell's faces and at its corners leave in a direction. */
HD real N(cell_room)(const i32 i, const real *to, const struct N(slope) * s CELL_LIMIT_FIELDS(PARAM))
{
  i32        m;
  const i32 *k    = N(cell_hull)(i, &m HULLS(NAME));
  real       room = 0;
  for (i32 c = 0; c < m; c++) room = N(asked_room)(value + NV * k[c], to, s, room);
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) room = N(asked_room)(q + NV * neighbour[e], to, s, room);
  return room;
}

/* The room that the cells across the faces leave, too. */
HD void N(cell_widen)(const i32 i, const real *q, struct N(slope) * s CELL_SIDES(PARAM))
{
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    real there[NV];
    N(state_load)(q + NV * neighbour[e], there);
    N(slope_widen)(there, s);
  }
}

/* Within the bound alone, of these ranges. */
HD void N(cell_bound)(const i32 i, const i32 lane, struct N(slope) * s CELL_LIMIT_FIELDS(PARAM))
{
  const i32 sides = N(cell_sides)(i HULLS(NAME) CELL_SIDES(NAME));
  struct N(asked) r;
  N(asked_begin)(&r);
  N(cell_widen)(i, q, s CELL_SIDES(NAME));
  for (i32 c = lane; c < sides; c += PARTS(PAIR)) {
    real way[DIM];
    N(side_way)(i, c, way HULLS(NAME) CELL_SIDES(NAME));
    N(asked_scalars)(way, s, &r);
  }
  N(slope_bound)(&r, s);
}

#define CELL_GRADIENT(F) CELL_LIMIT_FIELDS(F) F(out, real, grad, "nodes," STR(NG))
TEAM(N(cell_gradient), CELL_GRADIENT, wide, PAIR)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(cell_slope)(i, lane, &s CELL_GRADIENT_FIELDS(NAME));
  N(cell_bound)(i, lane, &s CELL_LIMIT_FIELDS(NAME));
  N(node_put)(i, lane, &s, grad);
}
