/* cg.h - conjugate gradients on a matrix whose rows are scaled by the inverse of their diagonal
 * block D (docs/theory.md, section 5.2); scalars = (rho, alpha, unused, beta) per member as in krylov.h. */

/* y = D r: from the scaled residual to the plain one. */
#define CG_WEIGH(F)        \
  F(in, real, D, "rows,4") \
  F(in, real, r, "rows,2") \
  F(out, real, y, "rows,2")
KERNEL(cg_weigh, CG_WEIGH, indirect)
{
  for (i32 k = 0; k < 2; k++)
    y[2 * i + k] = D[4 * i + ENTRY(2, k, 0)] * r[2 * i] + D[4 * i + ENTRY(2, k, 1)] * r[2 * i + 1];
}

/* sum += what row j adds to (a, D b). */
HD void cg_add(i32 j, const real *D, const real *a, const real *b, f64 *sum)
{
  for (i32 k = 0; k < 2; k++) {
    const real y = D[4 * j + ENTRY(2, k, 0)] * b[2 * j] + D[4 * j + ENTRY(2, k, 1)] * b[2 * j + 1];
    *sum += (f64)a[2 * j + k] * (f64)y;
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

/* rho = (z, D r); beta = rho / its last value, none in the first step. */
#define CG_BETA(F)                 \
  F(in, real, D, "rows,4")         \
  F(in, real, z, "rows,2")         \
  F(in, real, r, "rows,2")         \
  KRYLOV_TOTALS(F)                 \
  F(upd, f64, parts, "groups,1")   \
  F(in, i32, steps, "members")     \
  F(rw, f64, scalars, "members,4") \
  F(rw, i32, live, "members")      \
  F(rw, i32, status, "members")
TOTAL(cg_beta, CG_BETA, sum, 1, live[m])
{
  cg_add(item[i], D, z, r, s);
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
  cg_add(item[i], D, p, q, s);
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
  F(in, real, z, "rows,2")           \
  F(rw, real, p, "rows,2")
LANES(cg_p, CG_P, indirect, 2)
{
  if (!live[member[i]]) return;
  const real beta      = (real)scalars[4 * member[i] + 3];
  EACH_LANE(k, 2) p[k] = z[k] + beta * p[k];
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

/* Coarsest level: y = inverse b, one group per row of blocks (4 x 4, all of a member's). */
#define CG_DENSE(F)                     \
  F(in, i32, offsets, "rows+1>>blocks") \
  F(in, i32, column, "blocks>rows")     \
  F(in, real, inverse, "blocks,16")     \
  F(in, real, b, "rows,4")              \
  F(out, f64, sums, "rows,4")
REDUCE(multigrid_coarsest, CG_DENSE, sum, 4)
{
  for (i32 j = 0; j < 4; j++)
    for (i32 k = 0; k < 4; k++) s[k] += (f64)inverse[16 * i + ENTRY(4, k, j)] * (f64)b[4 * column[i] + j];
}
