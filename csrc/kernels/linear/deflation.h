/* deflation.h - one constant per piece of a matrix (composite.h) whose pieces overlap, taken out of what its
 * preconditioner works on (docs/theory.md, section 7.6).  Here `members` are the pieces, as sums are over them,
 * and `cases` what solvers call members.  z_p: 1 in the field rows of piece p, and what receptors take of it.
 * share: the weight of a row's residual in sums; 0 where x is given.                             */

#define DEFLATION_CONSTANTS(F)      \
  F(in, i32, status, "rows")        \
  F(in, i32, donor, "rows,4>rows")  \
  F(in, f64, weight, "rows,4")      \
  F(in, i32, piece, "rows>members") \
  F(in, f64, share, "rows")         \
  F(in, f64, c, "members") /* of z_p */
#define DEFLATION_MATRIX(F)                                                     \
  DEFLATION_CONSTANTS(F)                                                        \
  F(in, i32, rim, "rows") /* field, next to a row of a receptor or a given x */ \
  F(in, i32, row, "rows+1>>blocks")                                             \
  F(in, i32, column, "blocks>rows")                                             \
  F(in, f64, matrix, "blocks,1")
#define DEFLATION_ROWS(F)          \
  F(in, i32, member, "rows>cases") \
  F(in, i32, live, "cases")
#define DEFLATION_TOTALS(F)       \
  F(in, i32, item, "items>rows!") \
  F(in, i32, of, "members>cases") \
  F(in, i32, live, "cases")       \
  TOTALS(F, "items")              \
  F(upd, f64, parts, "groups,1")
#define DEFLATION_SUMS(F)    \
  DEFLATION_TOTALS(F)        \
  F(in, i32, status, "rows") \
  F(in, f64, share, "rows")  \
  F(in, f64, r, "rows,1")    \
  F(out, f64, sums, "members")
#define DEFLATION_SOLVE(F)                                    \
  F(in, i32, of, "members>cases")                             \
  F(in, i32, live, "cases")                                   \
  F(in, i32, first, "cases+1>>members") /* piece of a case */ \
  F(in, f64, E, "members,across")                             \
  F(val, i32, across, "")                                     \
  F(in, f64, sums, "members")                                 \
  F(out, f64, c, "members")
#define DEFLATION_NARROW(F)  \
  DEFLATION_ROWS(F)          \
  DEFLATION_MATRIX(F)        \
  F(in, f64, from, "rows,1") \
  F(out, f32, to, "rows,1")
#define DEFLATION_WIDEN(F)                           \
  DEFLATION_ROWS(F)                                  \
  DEFLATION_CONSTANTS(F)                             \
  F(in, f64, r, "rows,1")                            \
  F(in, f32, from, "rows,1") /* zero but in field */ \
  F(out, f64, to, "rows,1")
#define DEFLATION_RIM(F)            \
  DEFLATION_ROWS(F)                 \
  F(in, i32, status, "rows")        \
  F(in, f64, share, "rows")         \
  F(in, i32, row, "rows+1>>blocks") \
  F(in, i32, column, "blocks>rows") \
  F(out, i32, rim, "rows")
#define DEFLATION_COARSE(F)                    \
  DEFLATION_TOTALS(F)                          \
  DEFLATION_MATRIX(F)                          \
  F(val, i32, across, "")                      \
  F(val, i32, at, "") /* piece whose c is 1 */ \
  F(rw, f64, E, "members,across")
#define DEFLATION_INVERSE(F)            \
  F(in, i32, live, "cases")             \
  F(in, i32, first, "cases+1>>members") \
  F(val, i32, across, "")               \
  F(val, f64, least, "")                \
  F(out, f64, sums, "members")          \
  F(rw, f64, E, "members,across")

/* sum of c_p z_p in row j. */
HD f64 deflation_at(const i32 j DEFLATION_CONSTANTS(PARAM))
{
  if (status[j] == FIELD) return share[j] > 0 ? c[piece[j]] : 0;
  f64 s = 0;
  if (status[j] == RECEPTOR)
    for (i32 k = 4 * j; k < 4 * j + 4; k++)
      s += status[donor[k]] == FIELD && share[donor[k]] > 0 ? weight[k] * c[piece[donor[k]]] : 0;
  return s;
}

/* Row i of the matrix times these constants: zero within a piece, whose rows add up to zero. */
HD f64 deflation_product(const i32 i DEFLATION_MATRIX(PARAM))
{
  f64 s = 0;
  if (rim[i])
    for (i32 b = row[i]; b < row[i + 1]; b++) s += matrix[b] * deflation_at(column[b] DEFLATION_CONSTANTS(NAME));
  return s;
}

TOTAL(deflation_sums, DEFLATION_SUMS, sum, 1, live[of[m]])
{
  const i32 at = item[i];
  if (status[at] == FIELD) s[0] += share[at] * r[at];
}
OF_MEMBER(deflation_sums, DEFLATION_SUMS)
{
  sums[m] = s[0];
}

/* c = E sums, E inverted. */
KERNEL(deflation_solve, DEFLATION_SOLVE, indirect)
{
  if (!live[of[i]]) return;
  const i32 begin = first[of[i]];
  f64       s     = 0;
  for (i32 q = begin; q < first[of[i] + 1]; q++) s += E[i * across + q - begin] * sums[q];
  c[i] = s;
}

/* What the constants leave of a residual, in float32, zero in rows that are not field. */
KERNEL(deflation_narrow, DEFLATION_NARROW, heavy)
{
  if (!live[member[i]]) return;
  to[i] = status[i] == FIELD ? (f32)(from[i] - deflation_product(i DEFLATION_MATRIX(NAME))) : 0;
}

/* In float64, with receptors from their donors and with the constants. */
KERNEL(deflation_widen, DEFLATION_WIDEN, indirect)
{
  if (!live[member[i]]) return;
  f64 s = (f64)from[i];
  if (status[i] == RECEPTOR) {
    s = 0;
    for (i32 k = 4 * i; k < 4 * i + 4; k++) s += weight[k] * (f64)from[donor[k]];
    s += r[i];
  }
  to[i] = s + deflation_at(i DEFLATION_CONSTANTS(NAME));
}

/* ---- what follows from the status, made anew with it ---- */

KERNEL(deflation_rim, DEFLATION_RIM, heavy)
{
  if (!live[member[i]]) return;
  i32 near = 0;
  if (status[i] == FIELD && share[i] > 0)
    for (i32 b = row[i]; b < row[i + 1]; b++) near |= status[column[b]] != FIELD || !(share[column[b]] > 0);
  rim[i] = near;
}

/* Column `at` of E. */
TOTAL(deflation_coarse, DEFLATION_COARSE, sum, 1, live[of[m]])
{
  s[0] += share[item[i]] * deflation_product(item[i] DEFLATION_MATRIX(NAME));
}
OF_MEMBER(deflation_coarse, DEFLATION_COARSE)
{
  E[m * across + at] = s[0];
}

/* E to its inverse by Gauss-Jordan; a pivot below `least` of its diagonal is left out, as its piece is,
 * and so is a piece alone. */
KERNEL(deflation_inverse, DEFLATION_INVERSE, heavy)
{
  if (!live[i]) return;
  const i32 count = first[i + 1] - first[i];
  f64      *a = E + across * first[i], *size = sums + first[i];
  for (i32 k = 0; k < count; k++) size[k] = a[k * across + k];
  for (i32 k = 0; k < count; k++) {
    const f64 pivot = a[k * across + k];
    const i32 good  = count > 1 && pivot > least * size[k];
    for (i32 q = 0; q < count; q++)
      if (q != k) a[k * across + q] = good ? a[k * across + q] / pivot : 0;
    for (i32 p = 0; p < count; p++) {
      const f64 down = a[p * across + k];
      if (p == k) continue;
      for (i32 q = 0; q < count; q++)
        if (q != k) a[p * across + q] -= down * a[k * across + q];
      a[p * across + k] = good ? -down / pivot : 0;
    }
    a[k * across + k] = good ? 1 / pivot : 0;
  }
}
