/* scalar.h - a level of a cycle on a scalar matrix (docs/theory.md, sections 5.2 and 7.6), the work of multigrid.h
 * on rows whose entries W lanes share: K(name) is name with W, level_step_8.  Rows of coarse levels have 20 to 130
 * entries, which one thread would read one after the other while few rows leave a device idle.
 * With holes (rims.h) a row is scaled by `keep`, absent: 1, and is that of its `slot`, where that is one. */
#define K(name) CAT(name, W)
#ifdef LISTED
LEVEL_LIST(LISTED, W)
#else
#define LEVEL_ROWS(F)                \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")
#define LEVEL_SHARED(F, INTO)        \
  LEVEL_ROWS(F)                      \
  F(in, i32, like, "rows>table")     \
  F(in, i32, row, "table+1>>blocks") \
  F(in, i32, column, "blocks")       \
  F(in, i32, first, "members>" INTO)
#define LEVEL_RENEWED(F)               \
  F(opt, real, keep, "rows")           \
  F(opt, i32, slot, "rows")            \
  F(opt, i32, many, "renewed")         \
  F(opt, i32, columns, "renewed,wide") \
  F(opt, f32, values, "renewed,wide")  \
  F(val, i32, wide, "")
#define LEVEL_MATRIX(F)     \
  LEVEL_SHARED(F, "rows")   \
  F(in, f32, A, "blocks,1") \
  LEVEL_RENEWED(F)
#define LEVEL_STEP(F)         \
  LEVEL_MATRIX(F)             \
  F(near, real, d0, "rows,1") \
  F(val, real, c1, "")        \
  F(val, real, c2, "")        \
  F(rw, real, r, "rows,1")    \
  F(out, real, d, "rows,1")   \
  F(rw, real, x, "rows,1")
#define LEVEL_RESIDUAL(F)    \
  LEVEL_MATRIX(F)            \
  F(near, real, d, "rows,1") \
  F(rw, real, r, "rows,1")
#define LEVEL_RESTRICT(F)    \
  LEVEL_SHARED(F, "fine")    \
  F(in, f32, R, "blocks,1")  \
  F(near, real, r, "fine,1") \
  F(out, real, b, "rows,1")
#define LEVEL_PROLONG(F)       \
  LEVEL_SHARED(F, "coarse")    \
  F(in, f32, P, "blocks,1")    \
  LEVEL_RENEWED(F)             \
  F(near, real, e, "coarse,1") \
  F(out, real, d, "rows,1")    \
  F(rw, real, x, "rows,1")

/* Entries of a row for a lane, before the question whether the member lives, as loads that wait for one another
 * are what takes a row its time. */
#define LEVEL_ENTRIES(t)                                                        \
  const i32 begin = row[t] + lane, end = row[(t) + 1], from = first[member[i]]; \
  if (!live[member[i]]) return
/* Those of a renewed row in the place of table row t, in `to` and `a`. */
#define LEVEL_CHOICE(t, matrix)                                     \
  const i32  at = slot ? slot[i] : -1, from = first[member[i]];     \
  const real kept  = keep ? keep[i] : 1;                            \
  const i32  begin = (at >= 0 ? wide * at : row[t]) + lane;         \
  const i32  end   = at >= 0 ? wide * at + many[at] : row[(t) + 1]; \
  const i32 *to    = at >= 0 ? columns : column;                    \
  const f32 *a     = at >= 0 ? values : matrix;                     \
  if (!live[member[i]]) return

/* A row of A x, in every lane: the sum of SHARES partial ones, of which a lane has each W-th.  So the bits of a
 * row do not depend on how many lanes share it, and those of a member not on the others. */
HD real K(level_product_)(const i32 *column, const f32 *A, const real *x, i32 begin, i32 end)
{
  enum { OWN = SHARES / PARTS(W) };
  real s[OWN] = {0};
  for (i32 b = begin; b < end; b += SHARES)
    for (i32 k = 0; k < OWN; k++) {
      const i32 e = b + PARTS(W) * k;
      if (e < end) s[k] += (real)A[e] * x[column[e]];
    }
  for (i32 half = OWN / 2; half > 0; half /= 2)
    for (i32 k = 0; k < half; k++) s[k] += s[k + half];
  return together(s[0], W);
}

/* r -= A d0, d = c1 d0 + c2 keep r, x += d. */
TEAM(K(level_step_), LEVEL_STEP, heavy, W)
{
  LEVEL_CHOICE(like[i], A);
  const real s = kept > 0 ? K(level_product_)(to, a, d0 + from, begin, end) : 0;
  if (lane) return;
  const real rest   = kept > 0 ? r[i] - s : 0;
  const real change = c1 * d0[i] + c2 * kept * rest;
  r[i]              = rest;
  d[i]              = change;
  x[i] += change;
}

/* r -= A d: what the coarser level is to remove. */
TEAM(K(level_residual_), LEVEL_RESIDUAL, heavy, W)
{
  LEVEL_CHOICE(like[i], A);
  if (!(kept > 0)) return;
  const real s = K(level_product_)(to, a, d + from, begin, end);
  if (lane == 0) r[i] -= s;
}

/* b = R r on the coarser level; on the coarsest R is an inverse. */
TEAM(K(level_restrict_), LEVEL_RESTRICT, heavy, W)
{
  LEVEL_ENTRIES(like[i]);
  const real s = K(level_product_)(column, R, r + from, begin, end);
  if (lane == 0) b[i] = s;
}

/* x += P e, kept in d for the residual. */
TEAM(K(level_prolong_), LEVEL_PROLONG, heavy, W)
{
  LEVEL_CHOICE(like[i], P);
  const real s = kept > 0 ? K(level_product_)(to, a, e + from, begin, end) : 0;
  if (lane) return;
  d[i] = s;
  x[i] += s;
}
#undef LEVEL_CHOICE
#undef LEVEL_RENEWED
#undef LEVEL_ENTRIES
#undef LEVEL_ROWS
#undef LEVEL_SHARED
#undef LEVEL_MATRIX
#undef LEVEL_STEP
#undef LEVEL_RESIDUAL
#undef LEVEL_RESTRICT
#undef LEVEL_PROLONG
#endif
#undef K
#undef W
