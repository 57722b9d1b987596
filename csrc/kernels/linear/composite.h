/* composite.h - the matrix of parts that overlap, a row for each node.  Its status (overset/names.h) says what
 * a row is: field, that of the CSR matrix; receptor, x minus what the corners of the donor cell give; else x.
 * Sides are zero in rows that are not field.  Where no boundary is open, which leaves the matrix singular,
 * field rows have `lack` of their member beside, the mean of x times `stiff`, in proportion to volumes. */

#define COMPOSITE_ROWS(F)            \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, i32, status, "rows")
#define COMPOSITE_DONORS(F)        \
  COMPOSITE_ROWS(F)                \
  F(in, i32, donor, "rows,4>rows") \
  F(in, f64, weight, "rows,4")
#define COMPOSITE_SIDE(F) \
  COMPOSITE_ROWS(F)       \
  F(rw, f64, r, "rows,1")
#define COMPOSITE_PRODUCT(F)                                  \
  COMPOSITE_DONORS(F)                                         \
  F(in, i32, row, "rows+1>>blocks")                           \
  F(in, i32, column, "blocks>rows")                           \
  F(in, f64, matrix, "blocks,1")                              \
  F(opt, f64, share, "rows") /* volume / diagonal: of lack */ \
  F(opt, f64, lack, "members")                                \
  F(in, f64, x, "rows,1")                                     \
  F(out, f64, y, "rows,1")
#define COMPOSITE_LACK(F)        \
  F(in, f64, x, "rows,1")        \
  F(in, i32, status, "rows")     \
  F(in, f64, volume, "rows")     \
  F(in, f64, stiff, "members")   \
  F(in, i32, item, "items>rows") \
  TOTALS(F, "items")             \
  F(upd, f64, parts, "groups,1") \
  F(in, i32, live, "members")    \
  F(out, f64, lack, "members")

KERNEL(composite_side, COMPOSITE_SIDE, direct)
{
  if (live[member[i]] && status[i] != FIELD) r[i] = 0;
}

KERNEL(composite_product, COMPOSITE_PRODUCT, heavy)
{
  const i32 is = status[i], begin = row[i], end = row[i + 1]; /* at once: none waits for another */
  if (!live[member[i]]) return;
  f64 s = 0;
  if (is == FIELD)
    for (i32 b = begin; b < end; b++) s += matrix[b] * x[column[b]];
  else if (is == RECEPTOR)
    for (i32 k = 4 * i; k < 4 * i + 4; k++) s += weight[k] * x[donor[k]];
  if (lack && is == FIELD) s += share[i] * lack[member[i]];
  y[i] = is == FIELD ? s : x[i] - s;
}

TOTAL(composite_lack, COMPOSITE_LACK, sum, 1, live[m])
{
  const i32 r = item[i];
  if (status[r] == FIELD) s[0] += volume[r] * x[r];
}
OF_MEMBER(composite_lack, COMPOSITE_LACK)
{
  lack[m] = stiff[m] * s[0];
}
