/* block.h - block CSR with B x B blocks: product, an incomplete factorisation, vectors.
 * Rows stand in colour order: no two rows of a colour are neighbours, so a colour is one launch
 * over=(first, count) and the order of elimination is the same on every device.
 *
 * The factorisation is DILU: A = L + A_D + U ~ (D + L) D^-1 (D + U), D_i = A_ii - sum over k < i
 * of A_ik D_k^-1 A_ki.  L and U stay those of A, so it lives in A's own place, rows scaled by D^-1
 * (written l, a, u below), and Eisenstat's trick (1981) gives the product with the preconditioned
 * matrix (1 + l)^-1 (l + a + u) (1 + u)^-1 for one sweep up and one down, without a product:
 *   t = (1 + u)^-1 v,   z = (1 + l)^-1 (v + (a - 2) t),   w = t + z       (theory eq. 5.2)
 * Included once per block size with B and BB = B*B.  live: members that still iterate.          */

#define BLOCK_PATTERN(F)             \
  F(in, i32, row, "rows+1>>blocks")  \
  F(in, i32, column, "blocks>rows")  \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")

#define BLOCK_PRODUCT(F)            \
  BLOCK_PATTERN(F)                  \
  F(in, real, A, "blocks," STR(BB)) \
  F(near, real, x, "rows," STR(B))  \
  F(out, real, y, "rows," STR(B))
#define BLOCK_SCHUR(F)                 \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, i32, mirror, "blocks>blocks!") \
  F(near, real, A, "blocks," STR(BB))  \
  F(out, real, D, "rows," STR(BB))
#define BLOCK_SCALE(F)                                           \
  BLOCK_PATTERN(F)                                               \
  F(in, i32, node, "rows") /* named by a fault */                \
  F(in, i32, diagonal, "rows>blocks!")                           \
  F(in, real, D, "rows," STR(BB))                                \
  F(out, real, pivot, "rows," STR(BB)) /* inverse of D */        \
  F(upd, real, A, "blocks," STR(BB))   /* becomes l, a - 2, u */ \
  F(inc, u64, faults, "members")
#define BLOCK_DIAGONAL(F)              \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, A, "blocks," STR(BB))    \
  F(out, real, D, "rows," STR(BB))
#define BLOCK_SWEEP(F)                 \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, A, "blocks," STR(BB))    \
  F(in, real, pivot, "rows," STR(BB))  \
  F(in, real, b, "rows," STR(B))       \
  F(val, i32, cold, "")                \
  F(upd, real, y, "rows," STR(B))

/* y += a x for the lanes' rows of a block. */
HD void K(block_apply_)(const real *a, const real *x, i32 lane, real *y)
{
  for (i32 k = 0; k < B; k++)
    for (i32 r = 0; r < WIDTH(B); r++) y[r] += ONCE(a[ENTRY(B, lane + r, k)]) * x[k];
}

/* Gauss-Jordan in place without exchanges (in either order of storage: the inverse of the transpose is
 * the transpose of the inverse), the last variable first: with the energy's row every pivot is at
 * least 0.04 of the largest on the diagonal, while density and momentum first lack minors at the far
 * field of clouds in space (1e-9, where the block's condition is ten).  Returns 0 where a pivot is
 * zero or not a number.                                                                         */
HD i32 K(block_invert_)(real *a)
{
  i32 good = 1;
  for (i32 k = B - 1; k >= 0; k--) {
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
  for (i32 b = row[i]; b < row[i + 1]; b++) K(block_apply_)(BLOCK_AT(A, BB, b), x + B * column[b], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) y[B * i + lane + k] = s[k];
}

/* Factors of a colour in two launches.  schur: D of the row from the finished rows of earlier
 * colours, lane by lane;                                                                        */
LANES(K(block_schur_), BLOCK_SCHUR, heavy, B)
{
  if (!live[member[i]]) return;
  const i32 ahead = i + AHEAD < n ? i + AHEAD : i;
  FETCH(BLOCK_AT(A, BB, row[ahead]), BLOCK_AT(A, BB, diagonal[ahead] + 1));
  for (i32 b = row[ahead]; b < diagonal[ahead]; b++) FETCH(BLOCK_AT(A, BB, mirror[b]), BLOCK_AT(A, BB, mirror[b] + 1));
  real d[B][WIDTH(B)]; /* columns; the lanes' rows */
  for (i32 j = 0; j < B; j++)
    for (i32 r = 0; r < WIDTH(B); r++) d[j][r] = BLOCK_AT(A, BB, diagonal[i])[ENTRY(B, lane + r, j)];
  for (i32 b = row[i]; b < diagonal[i]; b++) {
    const real *l = BLOCK_AT(A, BB, b) + lane, *u = BLOCK_AT(A, BB, mirror[b]);
    for (i32 j = 0; j < B; j++)
      for (i32 k = 0; k < B; k++)
        for (i32 r = 0; r < WIDTH(B); r++) d[j][r] -= ONCE(l[ENTRY(B, r, k)]) * ONCE(u[ENTRY(B, k, j)]);
  }
  for (i32 j = 0; j < B; j++)
    for (i32 r = 0; r < WIDTH(B); r++) D[BB * i + ENTRY(B, lane + r, j)] = d[j][r];
}

/* scale: the row by its inverse, so that the sweeps have nothing to wait for inside a row.  Here
 * a lane is a column, of every BLOCKS_AT_ONCE-th block; each inverts D for itself.  Four blocks of 5 at once, whose
 * columns a device does not move in one piece, take 0.68 to 0.75 of the time of one (ONERA M6, H100).  */
#if B == 5
#define BLOCKS_AT_ONCE 4
#else
#define BLOCKS_AT_ONCE 1
#endif
LANES(K(block_scale_), BLOCK_SCALE, heavy, BLOCKS_AT_ONCE *B)
{
  if (!live[member[i]]) return;
  real d[BB];
  for (i32 k = 0; k < BB; k++) d[k] = D[BB * i + k];
  const i32 good = K(block_invert_)(d), first = lane % B;
  if (lane == 0) {
    if (!good) fault(&faults[member[i]], FAULT_PIVOT, node[i]);
    for (i32 k = 0; k < BB; k++) pivot[BB * i + k] = d[k];
  }
  for (i32 b = row[i] + lane / B; b < row[i + 1]; b += PARTS(BLOCKS_AT_ONCE))
    for (i32 j = first; j < first + WIDTH(B); j++) {
      real *to = BLOCK_AT(A, BB, b) + ENTRY(B, 0, j), c[B], s[B];
      LOAD(B, to, c);
      for (i32 r = 0; r < B; r++) s[r] = b == diagonal[i] && r == j ? R(-2) : R(0);
      for (i32 k = 0; k < B; k++)
        for (i32 r = 0; r < B; r++) s[r] += d[ENTRY(B, r, k)] * c[k];
      PUT(B, to, s);
    }
}
#undef BLOCKS_AT_ONCE

/* The diagonal blocks, which block_scale inverts: its rows are then those of Gauss-Seidel's sweeps. */
LANES(K(block_diagonal_), BLOCK_DIAGONAL, indirect, B)
{
  if (!live[member[i]]) return;
  for (i32 j = 0; j < B; j++)
    for (i32 r = lane; r < lane + WIDTH(B); r++)
      D[BB * i + ENTRY(B, r, j)] = BLOCK_AT(A, BB, diagonal[i])[ENTRY(B, r, j)];
}

/* A row solved for its own y with the latest of the others; cold: later rows have none yet. */
LANES(K(block_sweep_), BLOCK_SWEEP, heavy, B)
{
  if (!live[member[i]]) return;
  real      s[WIDTH(B)], z[WIDTH(B)];
  const i32 last = cold ? diagonal[i] : row[i + 1];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = z[k] = 0;
  K(block_apply_)(pivot + BB * i, b + B * i, lane, z);
  for (i32 c = row[i]; c < last; c++)
    if (c != diagonal[i]) K(block_apply_)(BLOCK_AT(A, BB, c), y + B * column[c], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) y[B * i + lane + k] = z[k] - s[k];
}
