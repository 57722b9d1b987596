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

/* (a, D b) and (b, b). */
#define CG_DOTS(F)                       \
  F(in, real, D, "rows,4")               \
  F(in, real, a, "rows,2")               \
  F(in, real, b, "rows,2")               \
  F(in, i32, item, "items>rows!")        \
  F(in, i32, offsets, "groups+1>>items") \
  F(out, f64, sums, "groups,2")
REDUCE(cg_dots, CG_DOTS, sum, 2)
{
  const i32 j = item[i];
  for (i32 k = 0; k < 2; k++) {
    const real y = D[4 * j + ENTRY(2, k, 0)] * b[2 * j] + D[4 * j + ENTRY(2, k, 1)] * b[2 * j + 1];
    s[0] += (f64)a[2 * j + k] * (f64)y;
    s[1] += (f64)b[2 * j + k] * (f64)b[2 * j + k];
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
  for (i32 k = 2 * i + lane; k < 2 * i + lane + WIDTH(2); k++) {
    x[k] = p[k] = 0;
    r[k]        = b[k];
  }
}

/* beta = rho / its last value; none in the first step. */
#define CG_BETA(F)                                \
  F(in, f64, dots, "members,2") /* (z, D r), - */ \
  F(in, i32, steps, "members")                    \
  F(rw, f64, scalars, "members,4")                \
  F(rw, i32, live, "members")                     \
  F(rw, i32, status, "members")
KERNEL(cg_beta, CG_BETA, indirect)
{
  if (!live[i]) return;
  const f64 rho = dots[2 * i];
  if (!(rho > 0)) {
    live[i] = 0, status[i] = 2;
    return;
  }
  scalars[4 * i + 3] = steps[i] ? rho / scalars[4 * i] : 0;
  scalars[4 * i]     = rho;
}

#define CG_ALPHA(F)                               \
  F(in, f64, dots, "members,2") /* (p, D q), - */ \
  F(rw, f64, scalars, "members,4")                \
  F(rw, i32, live, "members")                     \
  F(rw, i32, status, "members")
KERNEL(cg_alpha, CG_ALPHA, indirect)
{
  if (!live[i]) return;
  if (!(dots[2 * i] > 0)) {
    live[i] = 0, status[i] = 2;
    return;
  }
  scalars[4 * i + 1] = scalars[4 * i] / dots[2 * i];
}

#define CG_CHECK(F)                            \
  F(in, f64, dots, "members,2") /* -, |r|^2 */ \
  F(in, f64, target2, "members")               \
  F(rw, i32, live, "members")                  \
  F(rw, i32, steps, "members")                 \
  F(rw, i32, status, "members")
KERNEL(cg_check, CG_CHECK, indirect)
{
  if (!live[i]) return;
  steps[i]++;
  if (dots[2 * i + 1] <= target2[i]) live[i] = 0, status[i] = 1;
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
  const real beta = (real)scalars[4 * member[i] + 3];
  for (i32 k = 2 * i + lane; k < 2 * i + lane + WIDTH(2); k++) p[k] = z[k] + beta * p[k];
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
  for (i32 k = 2 * i + lane; k < 2 * i + lane + WIDTH(2); k++) {
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
