/* guess.h - what a solution of A x = b begins from: the share of an earlier one, last, that leaves the least
 * residual, (t, b) / (t, t) with t = A last (docs/theory.md, section 7.5).                                */

#define GUESS_SHARE(F)                                     \
  F(in, f64, t, "rows,1")                                  \
  F(in, f64, r, "rows,1") /* b, in the residual's place */ \
  F(in, i32, item, "items>rows!")                          \
  TOTALS(F, "items")                                       \
  F(upd, f64, parts, "groups,3")                           \
  F(in, i32, live, "members")                              \
  F(out, f64, squares, "members") /* |b|^2 */              \
  F(out, f64, part, "members")    /* the share */
TOTAL(guess_share, GUESS_SHARE, sum, 3, live[m])
{
  const i32 row = item[i];
  s[0] += t[row] * r[row];
  s[1] += t[row] * t[row];
  s[2] += r[row] * r[row];
}
OF_MEMBER(guess_share, GUESS_SHARE)
{
  part[m]    = s[1] > 0 ? s[0] / s[1] : 0;
  squares[m] = s[2];
}

/* Takes from the side what the guess gives. */
#define GUESS_TAKE(F)                \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, f64, part, "members")        \
  F(in, f64, t, "rows,1")            \
  F(rw, f64, r, "rows,1")
KERNEL(guess_take, GUESS_TAKE, indirect)
{
  if (live[member[i]]) r[i] -= part[member[i]] * t[i];
}

/* Adds the guess to the solution for what it left, and keeps the sum for the next one. */
#define GUESS_ADD(F)                 \
  F(in, i32, member, "rows>members") \
  F(in, i32, active, "members")      \
  F(in, f64, part, "members")        \
  F(rw, f64, last, "rows,1")         \
  F(rw, f64, x, "rows,1")
KERNEL(guess_add, GUESS_ADD, indirect)
{
  if (active[member[i]]) last[i] = x[i] += part[member[i]] * last[i];
}
