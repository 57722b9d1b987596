/* residual.h - the Euler equations on a moving cloud of points (docs/meshless.md; Zhang et al. 2018,
 * Wang et al.), once per dimension.  With a_ij the coefficients of least squares with weights |d|^-1
 * or |d|^-2,
 *   div F = 2 sum_j [F_ij - F(W_i).a_ij],   F relative to the velocity of point i itself,
 * so that a uniform stream has no residual on any cloud, however it moves.  Residuals are times
 * the point's share V of space, a constant that only weighs the norms.
 *
 * At a boundary the satellites leave s = -2 n (n . sum_j a_ij) open (see cloud_open), n its unit
 * normal out of the fluid; through it goes the boundary's flux less what the point's own state would
 * carry.  At a plane of symmetry every satellite has a mirror image with the state mirrored: the sum of
 * both is that of the satellites alone with coefficients that do not couple across and along, without
 * its momentum across.
 *
 * Units: docs/style.md; states in those of gas.h, a_ij [1 / chord], residuals as on meshes.       */

#define CLOUD_FIELDS(F)                                     \
  NODE_GRAPH(F)                                             \
  F(near, f64, x, "nodes," STR(DIM))                        \
  F(in, real, inverse, "nodes," STR(NS))                    \
  F(in, real, velocity, "nodes," STR(DIM))                  \
  F(val, i32, squared, "") /* weights |d|^-2, not |d|^-1 */ \
  F(near, real, q, "nodes," STR(NV))
#define CLOUD_RESIDUAL_FIELDS(F)      \
  CLOUD_FIELDS(F)                     \
  SYMMETRY(F)                         \
  F(in, f64, V, "nodes")              \
  F(in, real, u, "nodes," STR(NV))    \
  F(in, real, past, "nodes," STR(NV)) \
  F(in, f64, bdf, "members,3")

/* res = V (div F + c0 u) + past; c0 and past are nothing where the march is to a steady state.  On a
 * plane of symmetry (its unit normal) it has no momentum across.                                */
HD void N(cloud_store)(i32 i, const real *sum, real V, const real *u, const real *past, f64 c0, const real *unit,
                       real *res)
{
  real r[NV], own[NV], before[NV];
  if (c0 == 0) {
    for (i32 k = 0; k < NV; k++) r[k] = V * sum[k];
  } else {
    N(state_load)(u + NV * i, own), N(state_load)(past + NV * i, before);
    for (i32 k = 0; k < NV; k++) r[k] = V * (sum[k] + (real)c0 * own[k]) + before[k];
  }
  if (unit) N(along)(unit, r + MOMENTUM);
  N(state_put)(res + NV * i, r);
}
