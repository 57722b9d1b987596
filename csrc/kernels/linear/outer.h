/* outer.h - the two halves of a step of BiCGSTAB (krylov.h) with a preconditioner M from outside, y = M p and
 * z = M s.  A member whose residual is below its target after the first half ends there.                  */

#define KRYLOV_HALF(F)               \
  F(in, i32, member, "rows>members") \
  F(in, f64, y, "rows,1")            \
  F(in, f64, v, "rows,1")            \
  KRYLOV_TOTALS(F)                   \
  F(upd, f64, parts, "groups,1")     \
  F(in, f64, scalars, "members,4")   \
  F(in, f64, target, "members")      \
  F(rw, f64, squares, "members")     \
  F(rw, i32, live, "members")        \
  F(rw, i32, steps, "members")       \
  F(rw, i32, status, "members")      \
  F(rw, f64, x, "rows,1")            \
  F(rw, f64, r, "rows,1")
#define KRYLOV_REST(F)               \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, scalars, "members,4")   \
  F(in, f64, z, "rows,1")            \
  F(in, f64, t, "rows,1")            \
  F(rw, f64, x, "rows,1")            \
  F(rw, f64, r, "rows,1")

/* x += alpha y, s = r - alpha v in r's place, and |s|^2. */
TOTAL(krylov_half, KRYLOV_HALF, sum, 1, live[m])
{
  const i32 j     = item[i];
  const f64 alpha = scalars[4 * member[j] + 1], left = r[j] - alpha * v[j];
  x[j] += alpha * y[j];
  r[j] = left;
  s[0] += left * left;
}
OF_MEMBER(krylov_half, KRYLOV_HALF)
{
  if (!(s[0] <= target[m])) return;
  squares[m] = s[0];
  steps[m]++;
  live[m] = 0, status[m] = 1;
}

/* x += omega z, r = s - omega t. */
KERNEL(krylov_rest, KRYLOV_REST, indirect)
{
  if (!live[member[i]]) return;
  const f64 omega = scalars[4 * member[i] + 2];
  x[i] += omega * z[i];
  r[i] -= omega * t[i];
}
