/* cg.h - conjugate gradients on a matrix of blocks of B whose rows are scaled by the inverse of their diagonal
 * block D (docs/theory.md, section 5.2); scalars = (rho, alpha, unused, beta) per member as in krylov.h. */

/* y = D r: from the scaled residual to the plain one; D is the weight. */
#define CG_WEIGH(F)                   \
  F(in, f64, weight, "rows," STR(BB)) \
  F(in, real, r, "rows," STR(B))      \
  F(out, real, y, "rows," STR(B))
KERNEL(K(cg_weigh_), CG_WEIGH, indirect)
{
  const f64 *w = weight + BB * i;
  for (i32 k = 0; k < B; k++) {
    f64 s = w[ENTRY(B, k, 0)] * (f64)r[B * i];
    for (i32 j = 1; j < B; j++) s += w[ENTRY(B, k, j)] * (f64)r[B * i + j];
    y[B * i + k] = (real)s;
  }
}

/* sum += what a row adds to (a, D b). */
HD void K(cg_add_)(const real *D, const real *a, const real *b, f64 *sum)
{
  for (i32 k = 0; k < B; k++) {
    real y = D[ENTRY(B, k, 0)] * b[0];
    for (i32 j = 1; j < B; j++) y += D[ENTRY(B, k, j)] * b[j];
    *sum += (f64)a[k] * (f64)y;
  }
}

/* x = 0, r = b, p = 0. */
#define CG_BEGIN(F)                  \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, real, b, "rows," STR(B))     \
  F(out, real, x, "rows," STR(B))    \
  F(out, real, r, "rows," STR(B))    \
  F(out, real, p, "rows," STR(B))
LANES(K(cg_begin_), CG_BEGIN, indirect, B)
{
  if (!live[member[i]]) return;
  EACH_LANE(k, B)
  {
    x[k] = p[k] = 0;
    r[k]        = b[k];
  }
}

/* rho = (z, D r), z in float32; beta = rho / its last value, none in the first step. */
#define CG_BETA(F)                 \
  F(in, real, D, "rows," STR(BB))  \
  F(in, f32, z, "rows," STR(B))    \
  F(in, real, r, "rows," STR(B))   \
  KRYLOV_TOTALS(F)                 \
  F(upd, f64, parts, "groups,1")   \
  F(in, i32, steps, "members")     \
  F(rw, f64, scalars, "members,4") \
  F(rw, i32, live, "members")      \
  F(rw, i32, status, "members")
TOTAL(K(cg_beta_), CG_BETA, sum, 1, live[m])
{
  const i32 j = item[i];
  real      a[B];
  for (i32 k = 0; k < B; k++) a[k] = (real)z[B * j + k];
  K(cg_add_)(D + BB * j, a, r + B * j, s);
}
OF_MEMBER(K(cg_beta_), CG_BETA)
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
  F(in, real, D, "rows," STR(BB))  \
  F(in, real, p, "rows," STR(B))   \
  F(in, real, q, "rows," STR(B))   \
  KRYLOV_TOTALS(F)                 \
  F(upd, f64, parts, "groups,1")   \
  F(rw, f64, scalars, "members,4") \
  F(rw, i32, live, "members")      \
  F(rw, i32, status, "members")
TOTAL(K(cg_alpha_), CG_ALPHA, sum, 1, live[m])
{
  const i32 j = item[i];
  K(cg_add_)(D + BB * j, p + B * j, q + B * j, s);
}
OF_MEMBER(K(cg_alpha_), CG_ALPHA)
{
  if (!(s[0] > 0)) {
    live[m] = 0, status[m] = 2;
    return;
  }
  scalars[4 * m + 1] = scalars[4 * m] / s[0];
}

/* Converged by |r|^2. */
#define CG_CHECK(F)               \
  F(in, real, r, "rows," STR(B))  \
  KRYLOV_TOTALS(F)                \
  F(upd, f64, parts, "groups,1")  \
  F(in, f64, target, "members")   \
  F(out, f64, squares, "members") \
  F(rw, i32, live, "members")     \
  F(rw, i32, steps, "members")    \
  F(rw, i32, status, "members")
TOTAL(K(cg_check_), CG_CHECK, sum, 1, live[m])
{
  K(krylov_add_)(item[i], r, r, s);
}
OF_MEMBER(K(cg_check_), CG_CHECK)
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
  F(in, f32, z, "rows," STR(B))      \
  F(rw, real, p, "rows," STR(B))
LANES(K(cg_p_), CG_P, indirect, B)
{
  if (!live[member[i]]) return;
  const real beta      = (real)scalars[4 * member[i] + 3];
  EACH_LANE(k, B) p[k] = (real)z[k] + beta * p[k];
}

/* x += alpha p, r -= alpha q. */
#define CG_X(F)                      \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, scalars, "members,4")   \
  F(in, real, p, "rows," STR(B))     \
  F(in, real, q, "rows," STR(B))     \
  F(rw, real, x, "rows," STR(B))     \
  F(rw, real, r, "rows," STR(B))
LANES(K(cg_x_), CG_X, indirect, B)
{
  if (!live[member[i]]) return;
  const real alpha = (real)scalars[4 * member[i] + 1];
  EACH_LANE(k, B)
  {
    x[k] += alpha * p[k];
    r[k] -= alpha * q[k];
  }
}
