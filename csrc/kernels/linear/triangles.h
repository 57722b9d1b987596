/* triangles.h - sweeps up and down through the triangles of a factored matrix (block.h), by colours: of blocks
 * under vectors of B (K(name) ends in B), or of scalars under them (wide.h), where BB is 1.
 * Included by both; K(block_apply_) takes an entry to a vector.  Each row reads one side of the diagonal and
 * skips the other, which a processor does not foresee: blocks are asked for rows ahead.            */

#define BLOCK_LOWER(F)                                              \
  BLOCK_PATTERN(F)                                                  \
  F(in, i32, diagonal, "rows>blocks!")                              \
  F(in, real, A, "blocks," STR(BB))                                 \
  F(opt, real, pivot, "rows," STR(BB)) /* none: of a side D^-1 b */ \
  F(in, real, b, "rows," STR(B))                                    \
  F(upd, real, y, "rows," STR(B))
#define BLOCK_UPPER(F)                 \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, A, "blocks," STR(BB))    \
  F(in, real, v, "rows," STR(B))       \
  F(upd, real, y, "rows," STR(B))
#define BLOCK_TURN(F)                  \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, A, "blocks," STR(BB))    \
  F(in, real, v, "rows," STR(B))       \
  F(in, real, t, "rows," STR(B))       \
  F(upd, real, z, "rows," STR(B))      \
  F(out, real, w, "rows," STR(B))

/* y = (1 + l)^-1 D^-1 b, by colours upwards: a side of the scaled system. */
LANES(K(block_lower_), BLOCK_LOWER, heavy, B)
{
  if (!live[member[i]]) return;
  if (BB > 1 && i + AHEAD < n) FETCH(BLOCK_AT(A, BB, row[i + AHEAD]), BLOCK_AT(A, BB, diagonal[i + AHEAD]));
  real s[WIDTH(B)], z[WIDTH(B)];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = z[k] = 0;
  if (pivot)
    K(block_apply_)(pivot + BB * i, b + B * i, lane, z);
  else
    for (i32 k = 0; k < WIDTH(B); k++) z[k] = b[B * i + lane + k];
  for (i32 c = row[i]; c < diagonal[i]; c++) K(block_apply_)(BLOCK_AT(A, BB, c), y + B * column[c], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) y[B * i + lane + k] = z[k] - s[k];
}

/* y = (1 + u)^-1 v, by colours downwards. */
LANES(K(block_upper_), BLOCK_UPPER, heavy, B)
{
  if (!live[member[i]]) return;
  if (BB > 1 && i + AHEAD < n) FETCH(BLOCK_AT(A, BB, diagonal[i + AHEAD] + 1), BLOCK_AT(A, BB, row[i + AHEAD + 1]));
  real s[WIDTH(B)];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = 0;
  for (i32 c = diagonal[i] + 1; c < row[i + 1]; c++) K(block_apply_)(BLOCK_AT(A, BB, c), y + B * column[c], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) y[B * i + lane + k] = v[B * i + lane + k] - s[k];
}

/* z = (1 + l)^-1 (v + (a - 2) t), by colours upwards; w = t + z. */
LANES(K(block_turn_), BLOCK_TURN, heavy, B)
{
  if (!live[member[i]]) return;
  if (BB > 1 && i + AHEAD < n) FETCH(BLOCK_AT(A, BB, row[i + AHEAD]), BLOCK_AT(A, BB, diagonal[i + AHEAD] + 1));
  real s[WIDTH(B)], e[WIDTH(B)];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = e[k] = 0;
  K(block_apply_)(BLOCK_AT(A, BB, diagonal[i]), t + B * i, lane, e);
  for (i32 c = row[i]; c < diagonal[i]; c++) K(block_apply_)(BLOCK_AT(A, BB, c), z + B * column[c], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) {
    const i32  at = B * i + lane + k;
    const real zk = v[at] + e[k] - s[k];
    z[at]         = zk;
    w[at]         = t[at] + zk;
  }
}
