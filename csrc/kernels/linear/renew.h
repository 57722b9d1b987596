/* renew.h - BiCGSTAB (krylov.h) begins anew from where it is when its residual has lost the shadow: else it
 * stands still, as it may where a preconditioner leaves few slow modes that the first residual hardly has.
 * A beta of zero says so.                                                                        */

#define KRYLOV_RENEW(F)                                              \
  F(in, i32, live, "members")                                        \
  F(in, f64, squares, "members") /* |r|^2 */                         \
  F(val, f64, least, "")         /* of |(shadow, r)|^2, the share */ \
  F(rw, f64, shadows, "members") /* |shadow|^2 */                    \
  F(rw, f64, scalars, "members,4")
#define KRYLOV_TURN(F)               \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, scalars, "members,4")   \
  F(in, f64, r, "rows,1")            \
  F(in, f64, v, "rows,1")            \
  F(rw, f64, shadow, "rows,1")       \
  F(rw, f64, p, "rows,1")

KERNEL(krylov_renew, KRYLOV_RENEW, indirect)
{
  if (!live[i]) return;
  f64 *c = scalars + 4 * i;
  if (c[0] * c[0] >= least * squares[i] * shadows[i]) return;
  c[0] = shadows[i] = squares[i];
  c[3]              = 0;
}

/* p = r + beta (p - omega v), or p = shadow = r. */
KERNEL(krylov_turn, KRYLOV_TURN, indirect)
{
  if (!live[member[i]]) return;
  const f64 omega = scalars[4 * member[i] + 2], beta = scalars[4 * member[i] + 3];
  if (fabs(beta) > 0) {
    p[i] = r[i] + beta * (p[i] - omega * v[i]);
  } else {
    p[i] = shadow[i] = r[i];
  }
}
