/* spread.h - rows of blocks of b by c numbers, whose entries lanes share where rows are long (docs/theory.md, section
 * 5.2).  Rows of 7 of coarse levels in space have 30 to 130 blocks, which one lane would read one after the other while
 * few rows leave a device idle.  H200, tetrahedra of 108 thousand nodes, levels of 7229, 491 and 35 rows: a product takes
 * 17, 6.9 and 4.3 us, by single lanes 23, 19.7 and 8.4; the finest level, 14 blocks of 3 a row, 50 us for 26.  So there, and
 * in the plane, a lane takes one of a block's rows.  Where lanes share, those beyond the last row do the work of that one
 * and write nothing, as a team has 2^n lanes. */
#ifdef __CUDACC__
#define SHARE(b) ((b) == 7 ? 4 : 1)
#else
#define SHARE(b) 1
#endif
#define SPREAD(k, FIELDS, b) CAT(SPREAD_, b)(k, FIELDS)
#define SPREAD_2(k, FIELDS)  LANES(k, FIELDS, heavy, 2)
#define SPREAD_3(k, FIELDS)  LANES(k, FIELDS, heavy, 3)
#define SPREAD_4(k, FIELDS)  LANES(k, FIELDS, heavy, 4)
#define SPREAD_7(k, FIELDS)  TEAM(k, FIELDS, heavy, 32)
/* Each number at of item i that this lane is to write, and its sum s[k]. */
#define EACH_SUM(k, at, b)                           \
  if (lane % SHARE(b) == 0 && lane < SHARE(b) * (b)) \
    for (i32 k = 0, at = (b)*i + lane / SHARE(b); k < WIDTH(b); k++, at++)

/* s = M x for the lane's rows of the blocks begin .. end - 1.  What is as large as the finest matrix of springs in space
 * is read once a launch (ONCE). */
HD void row_of_blocks(const i32 b, const i32 c, const i32 *column, const f32 *M, const real *x, i32 begin, i32 end,
                      i32 lane, real *s)
{
  const i32 own = lane / SHARE(b) < b ? lane / SHARE(b) : b - 1;
  for (i32 k = 0; k < WIDTH(b); k++) s[k] = 0;
  for (i32 e = begin + lane % SHARE(b); e < end; e += SHARE(b))
    for (i32 j = 0; j < c; j++)
      for (i32 k = 0; k < WIDTH(b); k++) {
        const f32 *m = BLOCK_AT(M, b * c, e) + ENTRY(b, own + k, j);
        s[k] += (real)(b == 3 || c == 3 ? ONCE(*m) : *m) * x[c * column[e] + j];
      }
  for (i32 k = 0; k < WIDTH(b); k++) s[k] = together(s[k], SHARE(b));
}
