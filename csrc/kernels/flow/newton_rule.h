/* newton_rule.h - who takes a step of Newton, who a pseudo-step, and what follows from how it went
 * (docs/theory.md, section 2.9), member by member.  mode: 1 where a member is in Newton's part of its march; wait:
 * pseudo-steps before it goes there again; refused: Newton's steps in a row that were not taken; spent: products of
 * the march.                                                                                       */

/* Before a step of either kind: `going` are all members that go on, `taking` those that take a step of Newton;
 * pseudo-steps see the others as active.  The CFL number of Newton's steps is their own, as the check of the
 * residual has its rule for pseudo-steps.                                                         */
#define NEWTON_CHOOSE(F)                                                           \
  F(in, i32, iterations, "members") /* with the one that begins */                 \
  F(in, f64, norm, "members")                                                      \
  F(in, f64, first, "members")                                                     \
  F(val, f64, fallen, "") /* norm over the first one below which Newton begins */  \
  F(val, i32, latest, "") /* or iterations after which it does */                  \
  F(rw, i32, active, "members")                                                    \
  F(out, i32, going, "members")                                                    \
  F(out, i32, taking, "members")                                                   \
  F(rw, i32, begun, "members")                                                     \
  F(rw, i32, mode, "members")                                                      \
  F(rw, i32, wait, "members")                                                      \
  F(rw, f64, cfl, "members")                                                       \
  F(rw, f64, newton_cfl, "members")                                                \
  F(rw, f64, theta, "members") /* share of the equation beside the gas in norms */ \
  F(rw, i32, products, "members")                                                  \
  F(rw, f64, length, "members")
KERNEL(newton_choose, NEWTON_CHOOSE, indirect)
{
  going[i]  = active[i];
  taking[i] = 0;
  if (!active[i]) return;
  const i32 before = mode[i];
  products[i] = 0, length[i] = 1;
  if (norm[i] <= fallen * first[i] || iterations[i] > latest) begun[i] = 1;
  mode[i] = begun[i] && wait[i] <= 0;
  if (wait[i] > 0) wait[i]--;
  if (!mode[i]) return;
  if (!before) newton_cfl[i] = cfl[i];
  cfl[i]    = newton_cfl[i];
  theta[i]  = fmax(theta[i], norm[i] <= 1e-3 * first[i] ? 1 : norm[i] <= 1e-2 * first[i] ? 0.1 : 0.01);
  taking[i] = 1;
  active[i] = 0;
}

/* Who is active is who is in `from`. */
#define NEWTON_MASK(F)        \
  F(in, i32, from, "members") \
  F(out, i32, active, "members")
KERNEL(newton_mask, NEWTON_MASK, direct)
{
  active[i] = from[i];
}

/* The whole step, unless the linear solution has reduced nothing. */
#define NEWTON_LENGTH(F)         \
  F(in, i32, taking, "members")  \
  F(in, i32, status, "members")  \
  F(in, i32, steps, "members")   \
  F(in, f64, left, "members")    \
  F(val, f64, nothing, "")       \
  F(out, i32, active, "members") \
  F(rw, f64, share, "members")   \
  F(rw, f64, length, "members")
KERNEL(newton_length, NEWTON_LENGTH, direct)
{
  const i32 solved = taking[i] && steps[i] > 0 && left[i] <= nothing;
  active[i]        = solved;
  if (taking[i]) share[i] = solved, length[i] = 0;
}

/* The end of a step: the CFL number of the next, and after three refused ones in a row pseudo-steps, each time twice
 * as many, so that a march that Newton cannot end is one of pseudo-steps.  Members whose
 * step is refused are active, to be put back.                                                     */
#define NEWTON_FOLLOW(F)            \
  F(in, i32, taking, "members")     \
  F(in, i32, steps, "members")      \
  F(in, f64, left, "members")       \
  F(in, f64, length, "members")     \
  F(in, f64, norm, "members")       \
  F(in, f64, first, "members")      \
  F(val, i32, tries, "")            \
  F(val, i32, pause, "")            \
  F(out, i32, active, "members")    \
  F(rw, i32, wait, "members")       \
  F(rw, i32, refused, "members")    \
  F(rw, i32, falls, "members")      \
  F(rw, i32, products, "members")   \
  F(rw, i32, spent, "members")      \
  F(rw, f64, share, "members")      \
  F(rw, f64, newton_cfl, "members") \
  F(rw, f64, cfl, "members")
KERNEL(newton_follow, NEWTON_FOLLOW, indirect)
{
  active[i] = 0;
  if (!taking[i]) return;
  const f64 a = length[i], grow = norm[i] <= 1e-3 * first[i] ? 5 : 2;
  const f64 whole = left[i] <= 0.3 ? grow : left[i] <= 0.6 ? 1.5 : left[i] <= 0.8 ? 1 : 0.3;
  const f64 by    = a < 0.1 ? 0.1 : a < 0.6 ? 0.5 : whole;
  products[i]     = steps[i];
  spent[i] += steps[i];
  newton_cfl[i] = fmin(fmax(by * newton_cfl[i], (f64)1), (f64)1e30);
  cfl[i]        = newton_cfl[i];
  refused[i]    = a > 0 ? 0 : refused[i] + 1;
  if (a > 0) return;
  active[i] = 1, share[i] = 0;
  if (refused[i] < tries) return;
  wait[i]    = pause << (falls[i] < 5 ? falls[i] : 5);
  refused[i] = 0;
  falls[i]++;
}

/* Share e of z by which a product perturbs the state, as the mean square of z has it; newton_most bounds it. */
#define NEWTON_RMS(F)            \
  F(in, f32, z, "nodes,width")   \
  F(size, i32, width, "width")   \
  F(in, i32, active, "members")  \
  TOTALS(F, "nodes")             \
  F(upd, f64, parts, "groups,2") \
  F(rw, f64, share, "members")
TOTAL(newton_rms, NEWTON_RMS, sum, 2, active[m])
{
  for (i32 k = width * i; k < width * (i + 1); k++) s[0] += (f64)z[k] * (f64)z[k];
  s[1] += width;
}
OF_MEMBER(newton_rms, NEWTON_RMS)
{
  share[m] = s[0] > 0 ? 1e-7 / sqrt(s[0] / s[1]) : 1;
}
