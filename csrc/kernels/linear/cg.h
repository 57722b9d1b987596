/* cg.h - conjugate gradients on a matrix whose rows are scaled by the inverse of their diagonal
 * block D (docs/theory.md, section 5.2); scalars = (rho, alpha, unused, beta) per member as in krylov.h. */

/* y = D r: from the scaled residual to the plain one; D is the weight. */
#define CG_WEIGH(F)            \
  F(in, f64, weight, "rows,4") \
  F(in, real, r, "rows,2")     \
  F(out, real, y, "rows,2")
KERNEL(cg_weigh, CG_WEIGH, indirect)
{
  const f64 a = (f64)r[2 * i], b = (f64)r[2 * i + 1];
  for (i32 k = 0; k < 2; k++)
    y[2 * i + k] = (real)(weight[4 * i + ENTRY(2, k, 0)] * a + weight[4 * i + ENTRY(2, k, 1)] * b);
}

/* sum += what a row adds to (a, D b). */
HD void cg_add(const real *D, const real *a, const real *b, f64 *sum)
{
  for (i32 k = 0; k < 2; k++) {
    const real y = D[ENTRY(2, k, 0)] * b[0] + D[ENTRY(2, k, 1)] * b[1];
    *sum += (f64)a[k] * (f64)y;
  }
}

/* x = 0, r = b, p = 0. */
#define CG_BEGIN(F)                  \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, real, b, "rows,2")           \
  F(out, real, x, "rows,2")          \
  F(out, real, r, "rows,2")          \
  F(out, real, p, "rows,2")
LANES(cg_begin, CG_BEGIN, indirect, 2)
{
  if (!live[member[i]]) return;
  EACH_LANE(k, 2)
  {
    x[k] = p[k] = 0;
    r[k]        = b[k];
  }
}

/* rho = (z, D r), z in float32; beta = rho / its last value, none in the first step. */
#define CG_BETA(F)                 \
  F(in, real, D, "rows,4")         \
  F(in, f32, z, "rows,2")          \
  F(in, real, r, "rows,2")         \
  KRYLOV_TOTALS(F)                 \
  F(upd, f64, parts, "groups,1")   \
  F(in, i32, steps, "members")     \
  F(rw, f64, scalars, "members,4") \
  F(rw, i32, live, "members")      \
  F(rw, i32, status, "members")
TOTAL(cg_beta, CG_BETA, sum, 1, live[m])
{
  const i32  j    = item[i];
  const real a[2] = {(real)z[2 * j], (real)z[2 * j + 1]};
  cg_add(D + 4 * j, a, r + 2 * j, s);
}
OF_MEMBER(cg_beta, CG_BETA)
{
  if (!(s[0] > 0)) {
    live[m] = 0, status[m] = 2;
    return;
  }
  scalars[4 * m + 3] = steps[m] ? s[0] / scalars[4 * m] : 0;
  scalars[4 * m]     = s[0];
}

/* alpha = rho / (p, D q). */
#define CG_ALPHA(F)                \
  F(in, real, D, "rows,4")         \
  F(in, real, p, "rows,2")         \
  F(in, real, q, "rows,2")         \
  KRYLOV_TOTALS(F)                 \
  F(upd, f64, parts, "groups,1")   \
  F(rw, f64, scalars, "members,4") \
  F(rw, i32, live, "members")      \
  F(rw, i32, status, "members")
TOTAL(cg_alpha, CG_ALPHA, sum, 1, live[m])
{
  const i32 j = item[i];
  cg_add(D + 4 * j, p + 2 * j, q + 2 * j, s);
}
OF_MEMBER(cg_alpha, CG_ALPHA)
{
  if (!(s[0] > 0)) {
    live[m] = 0, status[m] = 2;
    return;
  }
  scalars[4 * m + 1] = scalars[4 * m] / s[0];
}

/* Converged by |r|^2. */
#define CG_CHECK(F)               \
  F(in, real, r, "rows,2")        \
  KRYLOV_TOTALS(F)                \
  F(upd, f64, parts, "groups,1")  \
  F(in, f64, target, "members")   \
  F(out, f64, squares, "members") \
  F(rw, i32, live, "members")     \
  F(rw, i32, steps, "members")    \
  F(rw, i32, status, "members")
TOTAL(cg_check, CG_CHECK, sum, 1, live[m])
{
  krylov_add_2(item[i], r, r, s);
}
OF_MEMBER(cg_check, CG_CHECK)
{
  squares[m] = s[0];
  steps[m]++;
  if (s[0] <= target[m]) live[m] = 0, status[m] = 1;
}

/* p = z + beta p. */
#define CG_P(F)                      \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, scalars, "members,4")   \
  F(in, f32, z, "rows,2")            \
  F(rw, real, p, "rows,2")
LANES(cg_p, CG_P, indirect, 2)
{
  if (!live[member[i]]) return;
  const real beta      = (real)scalars[4 * member[i] + 3];
  EACH_LANE(k, 2) p[k] = (real)z[k] + beta * p[k];
}

/* x += alpha p, r -= alpha q. */
#define CG_X(F)                      \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, scalars, "members,4")   \
  F(in, real, p, "rows,2")           \
  F(in, real, q, "rows,2")           \
  F(rw, real, x, "rows,2")           \
  F(rw, real, r, "rows,2")
LANES(cg_x, CG_X, indirect, 2)
{
  if (!live[member[i]]) return;
  const real alpha = (real)scalars[4 * member[i] + 1];
  EACH_LANE(k, 2)
  {
    x[k] += alpha * p[k];
    r[k] -= alpha * q[k];
  }
}
