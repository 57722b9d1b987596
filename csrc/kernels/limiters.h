/* limiters.h - the limiters of gradients, an entry each (limit.h); where LISTED their rows of the table.  Without a
 * limiter gradients are within their bounds alone (mesh/gradient.h).  Once per dimension.           */
#ifndef LISTED
/* Thresholds squared of Wang's form, K times the range over the member (theory eq. 2.4b).  That of the velocity is
 * twice the largest speed relative to the stream, the size of the least ball about the stream that has all.  */
HD void N(wang_threshold)(const f64 *range, const i32 m, const real K, real *eps2)
{
  const f64 *r     = range + NR * m;
  const real least = R(1e-20); /* a uniform state has no range: limiter is 1 */
  const real rho = K * (real)(r[0] + r[1]), p = K * (real)(r[2] + r[3]);
  eps2[BY_DENSITY]  = rho * rho + least;
  eps2[BY_PRESSURE] = p * p + least;
  eps2[BY_VELOCITY] = R(4) * K * K * (real)r[4] + least;
}

/* Venkatakrishnan's own threshold (K h)^3, h = sqrt(V), in space cbrt(V) (theory eq. 2.4a). */
HD void N(venkatakrishnan_threshold)(const f64 V, const real K, real *eps2)
{
  const real h = K * (DIM == 2 ? sqrt((real)V) : cbrt((real)V));
  for (i32 k = 0; k < LIMITS; k++) eps2[k] = h * h * h + R(1e-20);
}
#endif

#define VARIANT _wang
#define READS(F)                                                         \
  F(in, f64, range, "members," STR(NR)) /* from state_primitive_range */ \
  F(val, real, K, "")
#define THRESHOLD N(wang_threshold)(range, member[i], K, eps2)
#define SCALAR    limiter_venkatakrishnan
#define VECTOR    limiter_along
#define ON_CLOUDS
#include "limit.h"

#define VARIANT _venkatakrishnan
#define READS(F)         \
  F(in, f64, V, "nodes") \
  F(val, real, K, "")
#define THRESHOLD N(venkatakrishnan_threshold)(V[i], K, eps2)
#define SCALAR    limiter_venkatakrishnan
#define VECTOR    limiter_along
#include "limit.h"
