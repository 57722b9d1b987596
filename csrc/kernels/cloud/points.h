/* points.h - points of a cloud and their satellites, once per dimension: velocities [a_inf], least squares
 * and the coefficients a_ij made of them [1 / chord] (docs/meshless.md).                           */

/* Velocity of the points from their last places (theory eq. 2.13 without volumes). */
#define CLOUD_VELOCITY(F)             \
  F(in, i32, member, "nodes>members") \
  F(in, f64, rate, "members,2")       \
  F(in, f64, x, "nodes," STR(DIM))    \
  F(in, f64, x1, "nodes," STR(DIM))   \
  F(in, f64, x2, "nodes," STR(DIM))   \
  F(out, real, velocity, "nodes," STR(DIM))
KERNEL(N(cloud_velocity), CLOUD_VELOCITY, indirect)
{
  const f64 *r = rate + 2 * member[i];
  for (i32 k = DIM * i; k < DIM * (i + 1); k++) velocity[k] = (real)(r[0] * (x[k] - x1[k]) + r[1] * (x1[k] - x2[k]));
}

/* Inverse of sum w dr dr^T, w = |dr|^-1 or, squared, |dr|^-2: the least-squares matrix of a point. */
#define CLOUD_LEAST_SQUARES(F) LEAST_SQUARES(F) F(val, i32, squared, "")
KERNEL(N(cloud_least_squares), CLOUD_LEAST_SQUARES, indirect)
{
  f64 sum[NS];
  N(fit_matrix)(i, x, offsets, neighbour, squared, sum);
  N(fit_invert)(sum, inverse + NS * i);
}

/* Satellite j as point i sees it: the way d there, its coefficients a, and the velocity v along them. */
HD real N(cloud_satellite)(const f64 *x, i32 i, i32 j, const real *inverse, const real *v, i32 squared, real *d,
                           real *a)
{
  N(fit_apart)(x, i, j, d);
  const real w = N(fit_weight)(d, squared);
  N(fit_apply)(inverse + NS * i, d, a);
  for (i32 k = 0; k < DIM; k++) a[k] *= w;
  return N(vec_dot)(v, a);
}

/* Norm over each member of what cancels in the residual of a uniform stream at rest: a point's
 * coefficients, and the time terms of its share.                                                */
#define CLOUD_TERMS(F)                                                         \
  F(in, i32, starts, "nodes+1>>entries") /* of the satellites of each point */ \
  F(in, i32, neighbour, "entries>nodes")                                       \
  F(near, f64, x, "nodes," STR(DIM))                                           \
  F(in, real, inverse, "nodes," STR(NS))                                       \
  F(val, i32, squared, "")                                                     \
  F(in, f64, V, "nodes")                                                       \
  F(in, i32, member, "nodes>members")                                          \
  F(in, f64, step, "members") /* of time [chord/a_inf]; infinite: steady */    \
  TOTALS(F, "nodes")                                                           \
  F(upd, f64, parts, "groups,1")                                               \
  F(out, real, each, "nodes") /* of each node */                               \
  F(out, f64, norm, "members")
TOTAL(N(cloud_terms), CLOUD_TERMS, sum, 1, 1)
{
  f64 size = 4 * V[i] / step[member[i]];
  for (i32 e = starts[i]; e < starts[i + 1]; e++) {
    real d[DIM], a[DIM];
    N(fit_apart)(x, i, neighbour[e], d);
    N(fit_apply)(inverse + NS * i, d, a);
    size += 2 * V[i] * (f64)(N(fit_weight)(d, squared) * sqrt(N(vec_dot)(a, a)));
  }
  each[i] = (real)size;
  s[0] += size * size;
}
OF_MEMBER(N(cloud_terms), CLOUD_TERMS)
{
  norm[m] = sqrt(s[0]);
}
