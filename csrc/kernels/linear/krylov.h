/* krylov.h - BiCGSTAB (van der Vorst 1992) on blocks of B: its vectors, and its scalars, one set per
 * member, on the device.  scalars = (rho, alpha, omega, beta); status: 0 runs, 1 converged, 2 broke
 * down.                                                                                         */

#define KRYLOV_BEGIN(F)                \
  F(in, i32, member, "rows>members")   \
  F(in, i32, live, "members")          \
  F(in, real, r, "rows," STR(B))       \
  F(out, real, x, "rows," STR(B))      \
  F(out, real, shadow, "rows," STR(B)) \
  F(out, real, p, "rows," STR(B))
#define KRYLOV_S(F)                  \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, scalars, "members,4")   \
  F(in, real, v, "rows," STR(B))     \
  F(rw, real, r, "rows," STR(B))
#define KRYLOV_X(F)                  \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, scalars, "members,4")   \
  F(in, real, p, "rows," STR(B))     \
  F(in, real, t, "rows," STR(B))     \
  F(rw, real, x, "rows," STR(B))     \
  F(rw, real, r, "rows," STR(B))
#define KRYLOV_P(F)                  \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, scalars, "members,4")   \
  F(in, real, r, "rows," STR(B))     \
  F(in, real, v, "rows," STR(B))     \
  F(rw, real, p, "rows," STR(B))
/* Sums over the rows of each member that iterates. */
#define KRYLOV_TOTALS(F)                                                         \
  F(in, i32, item, "items>rows!") /* rows by member: chunks are of one member */ \
  TOTALS(F, "items")
#define KRYLOV_SQUARES(F)        \
  F(in, real, r, "rows," STR(B)) \
  KRYLOV_TOTALS(F)               \
  F(upd, f64, parts, "groups,1") \
  F(in, i32, live, "members")    \
  F(out, f64, squares, "members")
#define KRYLOV_FIRST(F)                                      \
  F(in, real, r, "rows," STR(B))                             \
  KRYLOV_TOTALS(F)                                           \
  F(upd, f64, parts, "groups,1")                             \
  F(opt, f64, base, "members") /* |r|^2 of the zero guess */ \
  F(in, f64, tolerance, "members")                           \
  F(out, f64, squares, "members")                            \
  F(out, f64, target, "members")                             \
  F(rw, f64, scalars, "members,4")                           \
  F(rw, i32, live, "members")                                \
  F(rw, i32, status, "members")
#define KRYLOV_ALPHA(F)               \
  F(in, real, shadow, "rows," STR(B)) \
  F(in, real, v, "rows," STR(B))      \
  KRYLOV_TOTALS(F)                    \
  F(upd, f64, parts, "groups,1")      \
  F(rw, f64, scalars, "members,4")    \
  F(rw, i32, live, "members")         \
  F(rw, i32, status, "members")
#define KRYLOV_OMEGA(F)               \
  F(in, real, t, "rows," STR(B))      \
  F(in, real, s_half, "rows," STR(B)) \
  KRYLOV_TOTALS(F)                    \
  F(upd, f64, parts, "groups,2")      \
  F(in, i32, live, "members")         \
  F(rw, f64, scalars, "members,4")
#define KRYLOV_BETA(F)                \
  F(in, real, shadow, "rows," STR(B)) \
  F(in, real, r, "rows," STR(B))      \
  KRYLOV_TOTALS(F)                    \
  F(upd, f64, parts, "groups,2")      \
  F(in, f64, target, "members")       \
  F(out, f64, squares, "members")     \
  F(rw, f64, scalars, "members,4")    \
  F(rw, i32, live, "members")         \
  F(rw, i32, steps, "members")        \
  F(rw, i32, status, "members")

/* sum += what row i adds to (a, b). */
HD void K(krylov_add_)(i32 i, const real *a, const real *b, f64 *sum)
{
  f64 own = 0;
  for (i32 k = B * i; k < B * (i + 1); k++) own += (f64)a[k] * (f64)b[k];
  *sum += own;
}

/* |r|^2. */
TOTAL(K(krylov_squares_), KRYLOV_SQUARES, sum, 1, live[m])
{
  K(krylov_add_)(item[i], r, r, s);
}
OF_MEMBER(K(krylov_squares_), KRYLOV_SQUARES)
{
  squares[m] = s[0];
}

/* After the first residual: rho = (r, shadow) = |r|^2, target = tolerance |base|. */
TOTAL(K(krylov_first_), KRYLOV_FIRST, sum, 1, live[m])
{
  K(krylov_add_)(item[i], r, r, s);
}
OF_MEMBER(K(krylov_first_), KRYLOV_FIRST)
{
  squares[m] = scalars[4 * m] = s[0];
  target[m]                   = tolerance[m] * tolerance[m] * (base ? base[m] : s[0]);
  if (s[0] <= target[m]) live[m] = 0, status[m] = 1;
}

/* alpha = rho / (shadow, v). */
TOTAL(K(krylov_alpha_), KRYLOV_ALPHA, sum, 1, live[m])
{
  K(krylov_add_)(item[i], shadow, v, s);
}
OF_MEMBER(K(krylov_alpha_), KRYLOV_ALPHA)
{
  if (!(fabs(s[0]) > 0) || !(fabs(scalars[4 * m]) > 0)) {
    live[m] = 0, status[m] = 2;
    return;
  }
  scalars[4 * m + 1] = scalars[4 * m] / s[0];
}

/* omega = (t, s) / (t, t). */
TOTAL(K(krylov_omega_), KRYLOV_OMEGA, sum, 2, live[m])
{
  K(krylov_add_)(item[i], t, s_half, s);
  K(krylov_add_)(item[i], t, t, s + 1);
}
OF_MEMBER(K(krylov_omega_), KRYLOV_OMEGA)
{
  /* t = 0 only where s = 0: the half step was exact, and omega is of no account. */
  scalars[4 * m + 2] = s[1] > 0 ? s[0] / s[1] : 0;
}

/* beta = (new rho / rho) (alpha / omega), rho = (shadow, r); converged, or broken down. */
TOTAL(K(krylov_beta_), KRYLOV_BETA, sum, 2, live[m])
{
  K(krylov_add_)(item[i], shadow, r, s);
  K(krylov_add_)(item[i], r, r, s + 1);
}
OF_MEMBER(K(krylov_beta_), KRYLOV_BETA)
{
  f64 *c     = scalars + 4 * m;
  squares[m] = s[1];
  steps[m]++;
  if (s[1] <= target[m]) {
    live[m] = 0, status[m] = 1;
    return;
  }
  if (!(fabs(c[2]) > 0) || !(fabs(s[0]) > 0)) {
    live[m] = 0, status[m] = 2;
    return;
  }
  c[3] = s[0] / c[0] * (c[1] / c[2]);
  c[0] = s[0];
}

/* x = 0, shadow = p = r. */
LANES(K(krylov_begin_), KRYLOV_BEGIN, indirect, B)
{
  if (!live[member[i]]) return;
  EACH_LANE(k, B)
  {
    x[k]      = 0;
    shadow[k] = p[k] = r[k];
  }
}

/* s = r - alpha v, in r's place. */
LANES(K(krylov_s_), KRYLOV_S, indirect, B)
{
  if (!live[member[i]]) return;
  const real alpha = (real)scalars[4 * member[i] + 1];
  EACH_LANE(k, B) r[k] -= alpha * v[k];
}

/* x += alpha p + omega s; r = s - omega t; s is in r's place. */
LANES(K(krylov_x_), KRYLOV_X, indirect, B)
{
  if (!live[member[i]]) return;
  const real alpha = (real)scalars[4 * member[i] + 1], omega = (real)scalars[4 * member[i] + 2];
  EACH_LANE(k, B)
  {
    x[k] += alpha * p[k] + omega * r[k];
    r[k] -= omega * t[k];
  }
}

/* p = r + beta (p - omega v). */
LANES(K(krylov_p_), KRYLOV_P, indirect, B)
{
  if (!live[member[i]]) return;
  const real omega = (real)scalars[4 * member[i] + 2], beta = (real)scalars[4 * member[i] + 3];
  EACH_LANE(k, B) p[k] = r[k] + beta * (p[k] - omega * v[k]);
}
