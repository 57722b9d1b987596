/* aggregates.h - a coarse level of a block matrix, each of its unknowns that of a few rows (docs/theory.md, section 5.5):
 * A_IJ = sum of A_ij over i of I and j of J, b_I = sum of b_i, x_i = x_I.  B rows and columns of a block, BB entries.
 * Rows of the coarse level are `wholes`, its blocks `sums`.                                        */

#define AGGREGATE_BLOCKS(F)         \
  F(in, i32, from, "sums+1>>terms") \
  F(in, i32, term, "terms>blocks")  \
  F(in, i32, owner, "sums>members") \
  F(in, i32, live, "members")       \
  F(in, real, A, "blocks," STR(BB)) \
  F(out, real, C, "sums," STR(BB))
KERNEL(K(aggregate_blocks_), AGGREGATE_BLOCKS, heavy)
{
  if (!live[owner[i]]) return;
  real s[BB];
  for (i32 k = 0; k < BB; k++) s[k] = 0;
  for (i32 t = from[i]; t < from[i + 1]; t++)
    for (i32 k = 0; k < BB; k++) s[k] += BLOCK_AT(A, BB, term[t])[k];
  for (i32 k = 0; k < BB; k++) C[BB * i + k] = s[k];
}

#define AGGREGATE_SIDE(F)              \
  F(in, i32, from, "wholes+1>>terms")  \
  F(in, i32, term, "terms>rows!")      \
  F(in, i32, member, "wholes>members") \
  F(in, i32, live, "members")          \
  F(in, real, b, "rows," STR(B))       \
  F(out, real, side, "wholes," STR(B))
LANES(K(aggregate_side_), AGGREGATE_SIDE, heavy, B)
{
  if (!live[member[i]]) return;
  real s[WIDTH(B)];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = 0;
  for (i32 t = from[i]; t < from[i + 1]; t++)
    for (i32 k = 0; k < WIDTH(B); k++) s[k] += b[B * term[t] + lane + k];
  for (i32 k = 0; k < WIDTH(B); k++) side[B * i + lane + k] = s[k];
}

#define AGGREGATE_SPREAD(F)          \
  F(in, i32, whole, "rows>wholes")   \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, real, y, "wholes," STR(B))   \
  F(out, real, x, "rows," STR(B))
LANES(K(aggregate_spread_), AGGREGATE_SPREAD, indirect, B)
{
  if (!live[member[i]]) return;
  for (i32 k = 0; k < WIDTH(B); k++) x[B * i + lane + k] = y[B * whole[i] + lane + k];
}
