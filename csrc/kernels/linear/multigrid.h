/* multigrid.h - one level of a multigrid cycle with Chebyshev smoothing (docs/theory.md, section 5.2).
 * Rows of every matrix are scaled by the inverse of their diagonal block, so a level's residual r
 * is the scaled one and a step needs no other number of its row.  B: block size of the level; BELOW: that
 * of the next coarser one.  A cycle preconditions only: float32.
 *
 * Transfers and coarse matrices stand once for all members that share them (`table` rows): `like`
 * is the row of the table that a row is, `column` counts from the first row of the member, `first`.
 * The finest matrix of the springs is each member's own.                                                        */

#define MULTIGRID_ROWS(F)            \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")
#define MULTIGRID_SHARED(F, INTO)    \
  MULTIGRID_ROWS(F)                  \
  F(in, i32, like, "rows>table")     \
  F(in, i32, row, "table+1>>blocks") \
  F(in, i32, column, "blocks")       \
  F(in, i32, first, "members>" INTO)
#ifdef FINEST
#define MULTIGRID_MATRIX(F)         \
  MULTIGRID_ROWS(F)                 \
  F(in, i32, row, "rows+1>>blocks") \
  F(in, i32, column, "blocks>rows") \
  F(in, f32, A, "blocks," STR(BB))
#define MULTIGRID_LIKE  i
#define MULTIGRID_SHIFT 0
#else
#define MULTIGRID_MATRIX(F)   \
  MULTIGRID_SHARED(F, "rows") \
  F(in, f32, A, "blocks," STR(BB))
#define MULTIGRID_LIKE  like[i]
#define MULTIGRID_SHIFT first[member[i]]
#endif
#define MULTIGRID_FIRST(F)              \
  MULTIGRID_ROWS(F)                     \
  F(in, MULTIGRID_B, b, "rows," STR(B)) \
  F(val, real, c2, "")                  \
  F(out, real, r, "rows," STR(B))       \
  F(out, real, d, "rows," STR(B))       \
  F(out, real, x, "rows," STR(B))
#define MULTIGRID_STEP(F)           \
  MULTIGRID_MATRIX(F)               \
  F(near, real, d0, "rows," STR(B)) \
  F(val, real, c1, "")              \
  F(val, real, c2, "")              \
  F(rw, real, r, "rows," STR(B))    \
  F(out, real, d, "rows," STR(B))   \
  F(rw, real, x, "rows," STR(B))
#define MULTIGRID_RESIDUAL(F)      \
  MULTIGRID_MATRIX(F)              \
  F(near, real, d, "rows," STR(B)) \
  F(rw, real, r, "rows," STR(B))
#define MULTIGRID_RESTRICT(F)      \
  MULTIGRID_SHARED(F, "fine")      \
  F(in, f32, R, "blocks," STR(BC)) \
  F(near, real, r, "fine," STR(B)) \
  F(out, real, b, "rows," STR(BELOW))
#define MULTIGRID_PROLONG(F)             \
  MULTIGRID_SHARED(F, "coarse")          \
  F(in, f32, P, "blocks," STR(BC))       \
  F(near, real, e, "coarse," STR(BELOW)) \
  F(out, real, d, "rows," STR(B))        \
  F(rw, real, x, "rows," STR(B))

/* From x = 0: r = b, x = d = r / theta. */
LANES(K(multigrid_first_), MULTIGRID_FIRST, indirect, B)
{
  if (!live[member[i]]) return;
  EACH_LANE(k, B)
  {
    r[k] = (real)b[k];
    d[k] = x[k] = c2 * r[k];
  }
}

/* r -= A d0, d = c1 d0 + c2 r, x += d. */
SPREAD(K(multigrid_step_), MULTIGRID_STEP, B)
{
  if (!live[member[i]]) return;
  const i32 t = MULTIGRID_LIKE;
  real      s[WIDTH(B)];
  row_of_blocks(B, B, column, A, d0 + B * MULTIGRID_SHIFT, row[t], row[t + 1], lane, s);
  EACH_SUM(k, at, B)
  {
    const real rk = r[at] - s[k], dk = c1 * d0[at] + c2 * rk;
    r[at] = rk;
    d[at] = dk;
    x[at] += dk;
  }
}

/* r -= A d: what the coarser level is to remove. */
SPREAD(K(multigrid_residual_), MULTIGRID_RESIDUAL, B)
{
  if (!live[member[i]]) return;
  const i32 t = MULTIGRID_LIKE;
  real      s[WIDTH(B)];
  row_of_blocks(B, B, column, A, d + B * MULTIGRID_SHIFT, row[t], row[t + 1], lane, s);
  EACH_SUM(k, at, B) r[at] -= s[k];
}

/* b = R r on the coarser level, blocks of BELOW rows and B columns; on the coarsest R is an inverse. */
SPREAD(K(multigrid_restrict_), MULTIGRID_RESTRICT, BELOW)
{
  if (!live[member[i]]) return;
  const i32 t = like[i];
  real      s[WIDTH(BELOW)];
  row_of_blocks(BELOW, B, column, R, r + B * first[member[i]], row[t], row[t + 1], lane, s);
  EACH_SUM(k, at, BELOW) b[at] = s[k];
}

/* x += P e, kept in d for the residual; blocks of B rows and BELOW columns. */
SPREAD(K(multigrid_prolong_), MULTIGRID_PROLONG, B)
{
  if (!live[member[i]]) return;
  const i32 t = like[i];
  real      s[WIDTH(B)];
  row_of_blocks(B, BELOW, column, P, e + BELOW * first[member[i]], row[t], row[t + 1], lane, s);
  EACH_SUM(k, at, B)
  {
    d[at] = s[k];
    x[at] += s[k];
  }
}
#undef MULTIGRID_MATRIX
#undef MULTIGRID_LIKE
#undef MULTIGRID_SHIFT
