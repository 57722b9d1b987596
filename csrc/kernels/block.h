/* block.h - block CSR with B x B blocks: product, ILU(0) and its two solves, vectors.
 * Rows stand in colour order: no two rows of a colour are neighbours, so a colour is one launch
 * over=(first, count) and the order of elimination is the same on every device.
 * Included once per block size with B and BB = B*B.  live: members that still iterate.          */
#define K(name) CAT(name, B)

#define BLOCK_PATTERN(F)             \
  F(in, i32, row, "rows+1>>blocks")  \
  F(in, i32, column, "blocks>rows")  \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")

#ifndef BLOCK_FIELDS_ONCE
#define BLOCK_FIELDS_ONCE
#define BLOCK_PRODUCT(F)            \
  BLOCK_PATTERN(F)                  \
  F(in, real, A, "blocks," STR(BB)) \
  F(in, real, x, "rows," STR(B))    \
  F(out, real, y, "rows," STR(B))
#define BLOCK_ELIMINATE(F)                                        \
  BLOCK_PATTERN(F)                                                \
  F(in, i32, fills, "rows+1>>fill")                               \
  F(in, i32, fill, "fill,3>blocks") /* (i, j) -= (i, k) (k, j) */ \
  F(in, real, A, "blocks," STR(BB))                               \
  F(upd, real, LU, "blocks," STR(BB))
#define BLOCK_PIVOT(F)                 \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, LU, "blocks," STR(BB))   \
  F(out, real, pivot, "rows," STR(BB)) \
  F(inc, u64, faults, "members")
#define BLOCK_SCALE(F)                 \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, pivot, "rows," STR(BB))  \
  F(upd, real, LU, "blocks," STR(BB))
#define BLOCK_SOLVE(F)                 \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, LU, "blocks," STR(BB))   \
  F(in, real, b, "rows," STR(B))       \
  F(upd, real, y, "rows," STR(B))
#define BLOCK_BACK(F)                  \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, LU, "blocks," STR(BB))   \
  F(upd, real, y, "rows," STR(B))
#define BLOCK_DOTS(F)                                                            \
  F(in, real, a, "rows," STR(B))                                                 \
  F(in, real, b, "rows," STR(B))                                                 \
  F(in, real, c, "rows," STR(B))                                                 \
  F(in, real, d, "rows," STR(B))                                                 \
  F(in, i32, item, "items>rows!") /* rows by member: chunks are of one member */ \
  F(in, i32, offsets, "groups+1>>items")                                         \
  F(out, f64, sums, "groups,2")
#define BLOCK_SCALED(F)                                                    \
  F(in, real, inverse, "rows," STR(BB)) /* inverse diagonal blocks of A */ \
  F(in, real, r, "rows," STR(B))                                           \
  F(in, i32, item, "items>rows!")                                          \
  F(in, i32, offsets, "groups+1>>items")                                   \
  F(out, f64, sums, "groups,2")
#define BLOCK_INVERSES(F)                \
  F(in, i32, diagonal, "rows>blocks!")   \
  F(in, i32, member, "rows>members")     \
  F(in, real, A, "blocks," STR(BB))      \
  F(out, real, inverse, "rows," STR(BB)) \
  F(inc, u64, faults, "members")
#define KRYLOV_BEGIN(F)                                                      \
  F(in, i32, member, "rows>members")                                         \
  F(in, i32, live, "members")                                                \
  F(in, real, b, "rows," STR(B))                                             \
  F(opt, real, Ax, "rows," STR(B)) /* A x of a first guess; absent: x = 0 */ \
  F(rw, real, x, "rows," STR(B))                                             \
  F(out, real, r, "rows," STR(B))                                            \
  F(out, real, shadow, "rows," STR(B))                                       \
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
  F(in, real, ph, "rows," STR(B))    \
  F(in, real, sh, "rows," STR(B))    \
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
#endif

/* y += a x for the lanes' rows of a block. */
HD void K(block_apply_)(const real *a, const real *x, i32 lane, real *y)
{
  for (i32 k = 0; k < B; k++)
    for (i32 r = 0; r < WIDTH(B); r++) y[r] += a[ENTRY(B, lane + r, k)] * x[k];
}

/* Gauss-Jordan in place without pivoting (in either order of storage: the inverse of the transpose
 * is the transpose of the inverse); the diagonal blocks of both matrices are far from
 * needing it.  Returns 0 where a pivot is zero or not a number.                                 */
HD i32 K(block_invert_)(real *a)
{
  i32 good = 1;
  for (i32 k = 0; k < B; k++) {
    const real pivot = a[B * k + k];
    good &= fabs(pivot) > 0;
    const real d = R(1) / pivot;
    a[B * k + k] = R(1);
    for (i32 j = 0; j < B; j++) a[B * k + j] *= d;
    for (i32 i = 0; i < B; i++) {
      if (i == k) continue;
      const real f = a[B * i + k];
      a[B * i + k] = 0;
      for (i32 j = 0; j < B; j++) a[B * i + j] -= f * a[B * k + j];
    }
  }
  return good;
}

LANES(K(block_product_), BLOCK_PRODUCT, heavy, B)
{
  if (!live[member[i]]) return;
  real s[WIDTH(B)];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = 0;
  for (i32 b = row[i]; b < row[i + 1]; b++) K(block_apply_)(A + BB * b, x + B * column[b], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) y[B * i + lane + k] = s[k];
}

/* ILU(0) of a colour in three launches (Saad, algorithm 10.4), A ~ (D + L) (I + U):
 * eliminate: L and D + U of the row from the finished rows of earlier colours, lane by lane; */
LANES(K(block_eliminate_), BLOCK_ELIMINATE, heavy, B)
{
  if (!live[member[i]]) return;
  for (i32 b = row[i]; b < row[i + 1]; b++)
    for (i32 k = 0; k < B; k++)
      for (i32 r = lane; r < lane + WIDTH(B); r++) LU[BB * b + ENTRY(B, r, k)] = A[BB * b + ENTRY(B, r, k)];
  for (i32 f = fills[i]; f < fills[i + 1]; f++) {
    real       *to = LU + BB * fill[3 * f];
    const real *l = LU + BB * fill[3 * f + 1], *up = LU + BB * fill[3 * f + 2];
    for (i32 j = 0; j < B; j++) {
      real s[WIDTH(B)];
      for (i32 r = 0; r < WIDTH(B); r++) s[r] = to[ENTRY(B, lane + r, j)];
      for (i32 k = 0; k < B; k++)
        for (i32 r = 0; r < WIDTH(B); r++) s[r] -= l[ENTRY(B, lane + r, k)] * up[ENTRY(B, k, j)];
      for (i32 r = 0; r < WIDTH(B); r++) to[ENTRY(B, lane + r, j)] = s[r];
    }
  }
}

/* pivot: the inverse of D; */
KERNEL(K(block_pivot_), BLOCK_PIVOT, heavy)
{
  if (!live[member[i]]) return;
  real d[BB];
  for (i32 k = 0; k < BB; k++) d[k] = LU[BB * diagonal[i] + k];
  if (!K(block_invert_)(d)) fault(&faults[member[i]], FAULT_PIVOT, i);
  for (i32 k = 0; k < BB; k++) pivot[BB * i + k] = d[k];
}

/* scale: both sides of the row by it, and itself in D's place, so that the solves below have
 * nothing to wait for inside a row.  Here a lane is a column.                                   */
LANES(K(block_scale_), BLOCK_SCALE, heavy, B)
{
  if (!live[member[i]]) return;
  const real *d = pivot + BB * i;
  for (i32 b = row[i]; b < row[i + 1]; b++)
    for (i32 j = lane; j < lane + WIDTH(B); j++) {
      real *c = LU + BB * b + ENTRY(B, 0, j), s[B];
      for (i32 r = 0; r < B; r++) s[r] = b == diagonal[i] ? d[ENTRY(B, r, j)] : R(0);
      if (b != diagonal[i])
        for (i32 k = 0; k < B; k++)
          for (i32 r = 0; r < B; r++) s[r] += d[ENTRY(B, r, k)] * c[k];
      for (i32 r = 0; r < B; r++) c[r] = s[r];
    }
}

/* y = (D + L)^-1 b, by colours upwards: y = D^-1 b - (D^-1 L) y. */
LANES(K(block_forward_), BLOCK_SOLVE, heavy, B)
{
  if (!live[member[i]]) return;
  real s[WIDTH(B)], z[WIDTH(B)];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = z[k] = 0;
  K(block_apply_)(LU + BB * diagonal[i], b + B * i, lane, z);
  for (i32 c = row[i]; c < diagonal[i]; c++) K(block_apply_)(LU + BB * c, y + B * column[c], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) y[B * i + lane + k] = z[k] - s[k];
}

/* y = (I + U)^-1 y, by colours downwards. */
LANES(K(block_backward_), BLOCK_BACK, heavy, B)
{
  if (!live[member[i]]) return;
  real s[WIDTH(B)];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = 0;
  for (i32 c = diagonal[i] + 1; c < row[i + 1]; c++) K(block_apply_)(LU + BB * c, y + B * column[c], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) y[B * i + lane + k] -= s[k];
}

/* (a, b) and (c, d) in one pass. */
REDUCE(K(block_dots_), BLOCK_DOTS, sum, 2)
{
  const i32 r = B * item[i];
  for (i32 k = 0; k < B; k++) {
    s[0] += (f64)a[r + k] * (f64)b[r + k];
    s[1] += (f64)c[r + k] * (f64)d[r + k];
  }
}

/* |D^-1 r|^2, D the block diagonal: what the springs stop on (theory eq. 3.6). */
REDUCE(K(block_scaled_), BLOCK_SCALED, sum, 2)
{
  const i32 j = item[i];
  real      z[B];
  for (i32 k = 0; k < B; k++) {
    z[k] = 0;
    for (i32 c = 0; c < B; c++) z[k] += inverse[BB * j + ENTRY(B, k, c)] * r[B * j + c];
  }
  for (i32 k = 0; k < B; k++) s[0] += (f64)z[k] * (f64)z[k];
}

KERNEL(K(block_inverses_), BLOCK_INVERSES, heavy)
{
  real d[BB];
  for (i32 k = 0; k < BB; k++) d[k] = A[BB * diagonal[i] + k];
  if (!K(block_invert_)(d)) fault(&faults[member[i]], FAULT_PIVOT, i);
  for (i32 k = 0; k < BB; k++) inverse[BB * i + k] = d[k];
}

/* r = b - A x, shadow = p = r. */
LANES(K(krylov_begin_), KRYLOV_BEGIN, indirect, B)
{
  if (!live[member[i]]) return;
  for (i32 k = B * i + lane; k < B * i + lane + WIDTH(B); k++) {
    const real y = Ax ? b[k] - Ax[k] : b[k];
    if (!Ax) x[k] = 0;
    r[k] = shadow[k] = p[k] = y;
  }
}

/* s = r - alpha v, in r's place. */
LANES(K(krylov_s_), KRYLOV_S, indirect, B)
{
  if (!live[member[i]]) return;
  const real alpha = (real)scalars[4 * member[i] + 1];
  for (i32 k = B * i + lane; k < B * i + lane + WIDTH(B); k++) r[k] -= alpha * v[k];
}

/* x += alpha ph + omega sh; r = s - omega t. */
LANES(K(krylov_x_), KRYLOV_X, indirect, B)
{
  if (!live[member[i]]) return;
  const real alpha = (real)scalars[4 * member[i] + 1], omega = (real)scalars[4 * member[i] + 2];
  for (i32 k = B * i + lane; k < B * i + lane + WIDTH(B); k++) {
    x[k] += alpha * ph[k] + omega * sh[k];
    r[k] -= omega * t[k];
  }
}

/* p = r + beta (p - omega v). */
LANES(K(krylov_p_), KRYLOV_P, indirect, B)
{
  if (!live[member[i]]) return;
  const real omega = (real)scalars[4 * member[i] + 2], beta = (real)scalars[4 * member[i] + 3];
  for (i32 k = B * i + lane; k < B * i + lane + WIDTH(B); k++) p[k] = r[k] + beta * (p[k] - omega * v[k]);
}
#undef K
