/* point.h - what a point reads of itself and of its neighbours, once per dimension: states, gradients,
 * ways [chord], and sums over neighbours for least squares (physics/fit.h).                      */

#define NODE_GRAPH(F)                     \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")
#ifndef BLUNT
/* Volumes of meshes whose neighbours have weights |dr|^-1 in place of |dr|^-2: among tetrahedra, and among thin
 * triangles along a curved wall, fluxes of second order are unstable with the latter (docs/convergence.md). */
#define BLUNT(F) F(opt, i32, blunt, "nodes")
HD i32 steep_at(const i32 *blunt, i32 i)
{
  return !(blunt && blunt[i]);
}
#endif
#define LEAST_SQUARES(F)                  \
  F(near, f64, x, "nodes," STR(DIM))      \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(out, real, inverse, "nodes," STR(NS))

HD void N(state_load)(const real *from, real *to)
{
  LOAD(NV, from, to);
}

HD void N(state_put)(real *to, const real *from)
{
  PUT(NV, to, from);
}

/* Gradients of a point: dq_k/dx, dq_k/dy (, dq_k/dz) side by side. */
HD void N(slope_load)(const real *from, real *to)
{
  LOAD(NG, from, to);
}

/* The place of a point.  In space it is not read in pairs as states are: a device is no faster with two
 * wide loads than with three.                                                                   */
HD void N(place_load)(const f64 *x, i32 i, f64 *at)
{
#if DIM == 2
  const struct vec2 p = point(x, i);
  at[0] = p.x, at[1] = p.y;
#else
  for (i32 k = 0; k < DIM; k++) at[k] = x[DIM * i + k];
#endif
}

/* The way from a place to point j, from a difference in float64. */
HD void N(fit_way)(const f64 *at, const f64 *x, i32 j, real *d)
{
#if DIM == 2
  const struct vec2 there = point(x, j);
  d[0] = (real)(there.x - at[0]), d[1] = (real)(there.y - at[1]);
#else
  for (i32 k = 0; k < DIM; k++) d[k] = (real)(x[DIM * j + k] - at[k]);
#endif
}

/* The way from point i to point j. */
HD void N(fit_apart)(const f64 *x, i32 i, i32 j, real *d)
{
#if DIM == 2
  const struct vec2 here = point(x, i), there = point(x, j);
  d[0] = (real)(there.x - here.x), d[1] = (real)(there.y - here.y);
#else
  for (i32 k = 0; k < DIM; k++) d[k] = (real)(x[DIM * j + k] - x[DIM * i + k]);
#endif
}

/* sum w d d^T over the neighbours of a node; weights squared, |d|^-2, or |d|^-1. */
HD void N(fit_matrix)(i32 i, const f64 *x, const i32 *offsets, const i32 *neighbour, i32 squared, f64 *sum)
{
  for (i32 k = 0; k < NS; k++) sum[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    f64 d[DIM], size = 0;
    for (i32 k = 0; k < DIM; k++) {
      d[k] = x[DIM * neighbour[e] + k] - x[DIM * i + k];
      size += d[k] * d[k];
    }
    const f64 w = squared ? 1 / size : 1 / sqrt(size);
    N(fit_add)(w, d, sum);
  }
}
