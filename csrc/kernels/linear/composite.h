/* composite.h - the matrix of parts that overlap, a row for each node.  Its status (overset/names.h) says what
 * a row is: field, that of the CSR matrix; receptor, x minus what the corners of the donor cell give; else x.
 * Sides are zero in rows that are not field.  Where no boundary is open, which leaves the matrix singular,
 * field rows have `lack` of their member beside, the mean of x times `stiff`, in proportion to volumes. */

/* mode: of status and weights, which are read near where donors have donors themselves. */
#define COMPOSITE_ROWS(F, mode)      \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(mode, i32, status, "rows")
#define COMPOSITE_DONORS(F, mode)  \
  COMPOSITE_ROWS(F, mode)          \
  F(in, i32, donor, "rows,4>rows") \
  F(mode, f64, weight, "rows,4")
#define COMPOSITE_SIDE(F) \
  COMPOSITE_ROWS(F, in)   \
  F(rw, f64, r, "rows,1")
#define COMPOSITE_NARROW(F)       \
  COMPOSITE_ROWS(F, in)           \
  F(opt, f64, share, "rows")      \
  F(opt, f64, level, "members,2") \
  F(in, f64, from, "rows,1")      \
  F(out, f32, to, "rows,1")
#define COMPOSITE_WIDEN(F)                             \
  COMPOSITE_DONORS(F, near)                            \
  F(opt, f64, level, "members,2")                      \
  F(in, f64, r, "rows,1")                              \
  F(near, f32, from, "rows,1") /* zero but in field */ \
  F(out, f64, to, "rows,1")
#define COMPOSITE_PRODUCT(F)                                  \
  COMPOSITE_DONORS(F, in)                                     \
  F(in, i32, row, "rows+1>>blocks")                           \
  F(in, i32, column, "blocks>rows")                           \
  F(in, f64, matrix, "blocks,1")                              \
  F(opt, f64, share, "rows") /* volume / diagonal: of lack */ \
  F(opt, f64, lack, "members")                                \
  F(near, f64, x, "rows,1")                                   \
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
#define COMPOSITE_LEVEL(F)       \
  F(in, f64, r, "rows,1")        \
  F(in, i32, status, "rows")     \
  F(in, f64, volume, "rows")     \
  F(in, f64, share, "rows")      \
  F(in, f64, stiff, "members")   \
  F(in, i32, item, "items>rows") \
  TOTALS(F, "items")             \
  F(upd, f64, parts, "groups,2") \
  F(in, i32, live, "members")    \
  F(out, f64, level, "members,2")

KERNEL(composite_side, COMPOSITE_SIDE, direct)
{
  if (live[member[i]] && status[i] != FIELD) r[i] = 0;
}

/* A residual in float32, zero in rows that are not field, less what its constant makes. */
KERNEL(composite_narrow, COMPOSITE_NARROW, indirect)
{
  if (!live[member[i]]) return;
  const f64 less = level ? share[i] * level[2 * member[i]] : 0;
  to[i]          = status[i] == FIELD ? (f32)(from[i] - less) : 0;
}

/* In float64, with its constant, and receptors from their donors, which are followed where they are some. */
KERNEL(composite_widen, COMPOSITE_WIDEN, indirect)
{
  if (!live[member[i]]) return;
  f64 s = (f64)from[i];
  if (status[i] == RECEPTOR) {
    s = r[i];
    for (i32 k = 4 * i; k < 4 * i + 4; k++) {
      const i32 d   = donor[k];
      f64       own = (f64)from[d];
      if (status[d] == RECEPTOR)
        for (i32 e = 4 * d; e < 4 * d + 4; e++) own += weight[e] * (f64)from[donor[e]];
      s += weight[k] * own;
    }
  }
  to[i] = s + (level && (status[i] == FIELD || status[i] == RECEPTOR) ? level[2 * member[i] + 1] : 0);
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

/* Residual per volume of a member without an open boundary, which no cycle sees, and the constant that makes it. */
TOTAL(composite_level, COMPOSITE_LEVEL, sum, 2, live[m])
{
  const i32 at = item[i];
  if (status[at] != FIELD || !(share[at] > 0)) return;
  s[0] += volume[at] / share[at] * r[at];
  s[1] += volume[at];
}
OF_MEMBER(composite_level, COMPOSITE_LEVEL)
{
  const f64 mean   = stiff[m] > 0 ? s[0] / s[1] : 0;
  level[2 * m]     = mean;
  level[2 * m + 1] = stiff[m] > 0 ? mean / (stiff[m] * s[1]) : 0;
}
