/* procedures.h - four procedures of solvers on cells, each by every loop over the mesh that gives it, to be
 * measured (docs/loops.md; Weng et al., Advances in Aerodynamics 3 (2021) 21, algorithms 2 to 11): values at
 * vertices, gradients by Green and Gauss from these, sums of stored fluxes, extrema of the pressure.  Loops
 * that scatter add to what state_clear, slope_clear and extrema_start leave.  Units as in gas.h; V [chord^DIM].
 * Records have a lane for each of their numbers, so that neighbouring threads write neighbouring numbers; what is
 * scattered, gradients too.  Once per dimension.
 *
 *   rims, rim     vertices of each face            pair   cells on both sides of a face, S out of the first; -1: none
 *   hulls, hull   vertices of each cell            skins, side, beyond   faces of each cell, the cells beyond them
 *   starts, about cells about each vertex          fans, spoke           faces at each vertex
 */

#define STATE_CLEAR(F) F(out, real, to, "items," STR(NV))
LANES(N(state_clear), STATE_CLEAR, indirect, NV)
{
  EACH_LANE(k, NV) to[k] = 0;
}

#define SLOPE_CLEAR(F) F(out, real, to, "items," STR(NG))
LANES(N(slope_clear), SLOPE_CLEAR, indirect, NG)
{
  EACH_LANE(k, NG) to[k] = 0;
}

/* Values at vertices: the mean of the cells about each.  By faces a cell counts at a vertex as often as it has
 * faces there, so that per is the inverse of the sum of these counts.                            */
#define VALUES_BY_FACES(F)                                 \
  F(in, i32, pair, "faces,2>nodes?")                       \
  F(in, i32, rims, "faces+1>>ends")                        \
  F(in, i32, rim, "ends>vertices")                         \
  F(in, f64, per, "vertices") /* 1 / sum of the weights */ \
  F(near, real, q, "nodes," STR(NV))                       \
  F(inc, real, value, "vertices," STR(NV))
LANES(N(values_by_faces), VALUES_BY_FACES, indirect, NV)
{
  const i32 a = pair[2 * i], b = pair[2 * i + 1];
  real      both[WIDTH(NV)];
  for (i32 k = 0; k < WIDTH(NV); k++) both[k] = q[NV * a + lane + k] + (b < 0 ? 0 : q[NV * b + lane + k]);
  for (i32 e = rims[i]; e < rims[i + 1]; e++) {
    const i32  v     = rim[e];
    const real share = (real)per[v];
    for (i32 k = 0; k < WIDTH(NV); k++) add(value + NV * v + lane + k, share * both[k]);
  }
}

#define VALUES_BY_CELLS(F)           \
  F(in, i32, hulls, "nodes+1>>tips") \
  F(in, i32, hull, "tips>vertices")  \
  F(in, f64, per, "vertices")        \
  F(in, real, q, "nodes," STR(NV))   \
  F(inc, real, value, "vertices," STR(NV))
LANES(N(values_by_cells), VALUES_BY_CELLS, indirect, NV)
{
  for (i32 e = hulls[i]; e < hulls[i + 1]; e++) {
    const i32  v     = hull[e];
    const real share = (real)per[v];
    for (i32 k = 0; k < WIDTH(NV); k++) add(value + NV * v + lane + k, share * q[NV * i + lane + k]);
  }
}

/* With lean the weights 1 + lean.(x - vertex), exact for linear fields (docs/theory.md, eq. 8.3). */
#define VALUES_BY_VERTICES(F)              \
  F(in, f64, vertex, "vertices," STR(DIM)) \
  F(near, f64, x, "nodes," STR(DIM))       \
  F(in, i32, starts, "vertices+1>>abouts") \
  F(in, i32, about, "abouts>nodes")        \
  F(opt, f64, lean, "vertices," STR(DIM))  \
  F(in, f64, per, "vertices")              \
  F(near, real, q, "nodes," STR(NV))       \
  F(out, real, value, "vertices," STR(NV))
LANES(N(values_by_vertices), VALUES_BY_VERTICES, indirect, NV)
{
  real      sum[WIDTH(NV)];
  const f64 share = per[i];
  for (i32 k = 0; k < WIDTH(NV); k++) sum[k] = 0;
  for (i32 e = starts[i]; e < starts[i + 1]; e++) {
    const i32 c = about[e];
    f64       w = share;
    for (i32 k = 0; k < DIM && lean; k++) w += share * lean[DIM * i + k] * (x[DIM * c + k] - vertex[DIM * i + k]);
    for (i32 k = 0; k < WIDTH(NV); k++) sum[k] += (real)w * q[NV * c + lane + k];
  }
  for (i32 k = 0; k < WIDTH(NV); k++) value[NV * i + lane + k] = sum[k];
}

/* The mean over a face's vertices of `count` of the values, from `first` on. */
HD void N(face_mean)(const i32 i, const i32 first, const i32 count, const i32 *rims, const i32 *rim, const real *value,
                     real *mean)
{
  const i32  begin = rims[i], end = rims[i + 1];
  const real share = 1 / (real)(end - begin);
  for (i32 k = 0; k < count; k++) mean[k] = 0;
  for (i32 e = begin; e < end; e++)
    for (i32 k = 0; k < count; k++) mean[k] += value[NV * rim[e] + first + k];
  for (i32 k = 0; k < count; k++) mean[k] *= share;
}

/* Lanes of gradients, of NG numbers each: variables of a thread's lanes, and the first of them. */
#undef OF_SLOPES
#undef FIRST_OF
#define OF_SLOPES      (WIDTH(NG) == 1 ? 1 : NV)
#define FIRST_OF(lane) ((lane) / DIM)

/* Adds values times S over V to the gradients of both cells of a face. */
HD void N(slope_add)(const i32 a, const i32 b, const i32 lane, const real *mean, const real *S, const f64 *V,
                     real *grad)
{
  const real left = (real)(1 / V[a]), right = b < 0 ? 0 : (real)(1 / V[b]);
  for (i32 k = 0; k < WIDTH(NG); k++) {
    const i32  at   = lane + k;
    const real flow = mean[at / DIM - FIRST_OF(lane)] * S[at % DIM];
    add(grad + NG * a + at, left * flow);
    if (b >= 0) add(grad + NG * b + at, -right * flow);
  }
}

#define RIMS(F)                     \
  F(in, i32, rims, "faces+1>>ends") \
  F(in, i32, rim, "ends>vertices")  \
  F(in, real, value, "vertices," STR(NV))
#define SLOPES_BY_FACES(F)           \
  RIMS(F)                            \
  F(in, i32, pair, "faces,2>nodes?") \
  F(in, real, S, "faces," STR(DIM))  \
  F(near, f64, V, "nodes")           \
  F(inc, real, grad, "nodes," STR(NG))
LANES(N(slopes_by_faces), SLOPES_BY_FACES, indirect, NG)
{
  real mean[OF_SLOPES];
  N(face_mean)(i, FIRST_OF(lane), OF_SLOPES, rims, rim, value, mean);
  N(slope_add)(pair[2 * i], pair[2 * i + 1], lane, mean, S + DIM * i, V, grad);
}

/* Each face once for each of its vertices. */
#define SLOPES_BY_VERTICES(F)            \
  RIMS(F)                                \
  F(in, i32, fans, "vertices+1>>spokes") \
  F(in, i32, spoke, "spokes>faces")      \
  F(in, i32, pair, "faces,2>nodes?")     \
  F(in, real, S, "faces," STR(DIM))      \
  F(near, f64, V, "nodes")               \
  F(inc, real, grad, "nodes," STR(NG))
LANES(N(slopes_by_vertices), SLOPES_BY_VERTICES, indirect, NG)
{
  for (i32 e = fans[i]; e < fans[i + 1]; e++) {
    const i32  f     = spoke[e];
    const real share = 1 / (real)(rims[f + 1] - rims[f]);
    real       part[OF_SLOPES];
    for (i32 k = 0; k < OF_SLOPES; k++) part[k] = share * value[NV * i + FIRST_OF(lane) + k];
    N(slope_add)(pair[2 * f], pair[2 * f + 1], lane, part, S + DIM * f, V, grad);
  }
}

#define SKINS(F)                      \
  F(in, i32, skins, "nodes+1>>sides") \
  F(in, i32, side, "sides>faces")     \
  F(in, i32, beyond, "sides>nodes?")  \
  F(in, real, S, "faces," STR(DIM))   \
  F(in, f64, V, "nodes")

/* Adds a mean times a face's S, out of cell i, to the gradients of the lanes' variables. */
HD void N(slope_face)(const i32 i, const i32 beyond, const real *mean, const real *S, real *g)
{
  const real sign = beyond < 0 || beyond > i ? R(1) : R(-1); /* S points to the higher cell, and outside */
  for (i32 k = 0; k < WIDTH(NV); k++)
    for (i32 l = 0; l < DIM; l++) g[DIM * k + l] += sign * mean[k] * S[l];
}

HD void N(slope_put)(const i32 i, const i32 lane, const f64 V, real *g, real *grad)
{
  const real share = (real)(1 / V);
  for (i32 k = 0; k < DIM * WIDTH(NV); k++) g[k] *= share;
  PUT(DIM * WIDTH(NV), grad + NG * i + DIM * lane, g);
}

#define SLOPES_BY_CELLS(F) SKINS(F) RIMS(F) F(out, real, grad, "nodes," STR(NG))
LANES(N(slopes_by_cells), SLOPES_BY_CELLS, indirect, NV)
{
  real g[DIM * WIDTH(NV)] = {0};
  for (i32 e = skins[i]; e < skins[i + 1]; e++) {
    real mean[WIDTH(NV)];
    N(face_mean)(side[e], lane, WIDTH(NV), rims, rim, value, mean);
    N(slope_face)(i, beyond[e], mean, S + DIM * side[e], g);
  }
  N(slope_put)(i, lane, V[i], g, grad);
}

/* The means of faces, stored, and gathered. */
#define FACE_MEANS(F) RIMS(F) F(out, real, mean, "faces," STR(NV))
LANES(N(face_means), FACE_MEANS, indirect, NV)
{
  N(face_mean)(i, lane, WIDTH(NV), rims, rim, value, mean + NV * i + lane);
}

#define SLOPES_BY_MEANS(F) SKINS(F) F(in, real, mean, "faces," STR(NV)) F(out, real, grad, "nodes," STR(NG))
LANES(N(slopes_by_means), SLOPES_BY_MEANS, indirect, NV)
{
  real g[DIM * WIDTH(NV)] = {0};
  for (i32 e = skins[i]; e < skins[i + 1]; e++)
    N(slope_face)(i, beyond[e], mean + NV * side[e] + lane, S + DIM * side[e], g);
  N(slope_put)(i, lane, V[i], g, grad);
}

/* Sums of stored fluxes; by cells they are ale_residual (flux.h). */
#define FLUXES_BY_FACES(F)            \
  F(in, i32, lr, "edges,2>nodes")     \
  F(in, real, flux, "edges," STR(NV)) \
  F(inc, real, res, "nodes," STR(NV))
LANES(N(fluxes_by_faces), FLUXES_BY_FACES, indirect, NV)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1];
  for (i32 k = 0; k < WIDTH(NV); k++) {
    const real f = flux[NV * i + lane + k];
    add(res + NV * a + lane + k, f), add(res + NV * b + lane + k, -f);
  }
}
