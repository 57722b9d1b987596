/* reduced_rank.h - reduced rank extrapolation of a march (Eddy 1979; docs/theory.md, section 7.8).  Iteration j of
 * a cycle takes velocities and pressure from x_j to x_j + f_j, where the next one begins.  After `every` + 1 of them
 *   x = x_every + f_every - sum of gamma_j f_j+1,   gamma: the least |f_every - sum of gamma_j (f_j+1 - f_j)|,
 * squares weighted by volumes.
 * begun: iterations of a member's cycle, with the present one; 0 where there is none.                        */
#define STATE        CAT(STATE_, DIM) /* numbers of a node: velocity and pressure */
#define STATE_2      3
#define STATE_3      4
#define RANK_AT_ONCE 4

#define INC_RANK(F)                   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, i32, begun, "members")

/* Before an iteration: x. */
#define INC_RANK_FROM(F)            \
  INC_RANK(F)                       \
  F(in, real, u, "nodes," STR(DIM)) \
  F(in, f64, p, "nodes")            \
  F(rw, f64, from, "nodes," STR(STATE))
KERNEL(N(inc_rank_from), INC_RANK_FROM, indirect)
{
  if (!active[member[i]] || !begun[member[i]]) return;
  for (i32 k = 0; k < STATE; k++) from[STATE * i + k] = k < DIM ? (f64)u[DIM * i + k] : p[i];
}

/* After it: f. */
#define INC_RANK_KEEP(F)                \
  INC_RANK(F)                           \
  F(in, real, u, "nodes," STR(DIM))     \
  F(in, f64, p, "nodes")                \
  F(in, f64, from, "nodes," STR(STATE)) \
  F(rw, f32, f, "every+1,nodes," STR(STATE))
KERNEL(N(inc_rank_keep), INC_RANK_KEEP, indirect)
{
  const i32 m = member[i];
  if (!active[m] || !begun[m]) return;
  f32 *to = f + STATE * (n * (begun[m] - 1) + i);
  for (i32 k = 0; k < STATE; k++) to[k] = (f32)((k < DIM ? (f64)u[DIM * i + k] : p[i]) - from[STATE * i + k]);
}

/* Products of the newest f with those of the iterations `first` to first + 3, as many of them as there are, by volumes
 * of the nodes that are solved for. */
#define INC_RANK_DOTS(F)                     \
  INC_RANK(F)                                \
  F(size, i32, every, "every")               \
  F(size, i32, nodes, "nodes")               \
  F(val, i32, first, "")                     \
  F(opt, i32, status, "nodes")               \
  F(in, f64, V, "nodes")                     \
  F(in, f32, f, "every+1,nodes," STR(STATE)) \
  TOTALS(F, "nodes")                         \
  F(upd, f64, parts, "groups,4")             \
  F(rw, f64, gram, "members,every+1,every+1")
TOTAL(N(inc_rank_dots), INC_RANK_DOTS, sum, RANK_AT_ONCE, active[m] && begun[m] > first)
{
  if (status && status[i] != 1) return;
  const i32  rest   = begun[member[i]] - first;
  const f32 *newest = f + STATE * (nodes * (first + rest - 1) + i);
  for (i32 j = 0; j < RANK_AT_ONCE && j < rest; j++) {
    const f32 *with = f + STATE * (nodes * (first + j) + i);
    for (i32 k = 0; k < STATE; k++) s[j] += V[i] * (f64)newest[k] * (f64)with[k];
  }
}
OF_MEMBER(N(inc_rank_dots), INC_RANK_DOTS)
{
  f64 *row = gram + (every + 1) * ((every + 1) * m + begun[m] - 1);
  for (i32 j = first; j < first + RANK_AT_ONCE && j < begun[m]; j++) row[j] = s[j - first];
}

/* gamma at the end of a cycle, by Cholesky's factor L of the products of changes f_j+1 - f_j, the newest one first. One
 * that is nearly a sum of newer ones has a share of 0. */
#define INC_RANK_SHARES(F)                    \
  F(in, i32, active, "members")               \
  F(in, i32, begun, "members")                \
  F(size, i32, every, "every")                \
  F(in, f64, gram, "members,every+1,every+1") \
  F(rw, f64, lower, "members,every,every")    \
  F(rw, f64, gamma, "members,every")
HD f64 N(rank_change)(const f64 *gram, const i32 width, const i32 i, const i32 j)
{ /* product of f_i with change j of an earlier or the same iteration: gram has its lower triangle */
  const f64 *row = gram + width * i;
  return (j + 1 > i ? gram[width * (j + 1) + i] : row[j + 1]) - row[j];
}
KERNEL(N(inc_rank_shares), INC_RANK_SHARES, direct)
{
  const i32 wide = every + 1;
  if (!active[i] || begun[i] < wide) return;
  const f64 *own = gram + wide * wide * i;
  f64       *L = lower + every * every * i, *y = gamma + every * i;
  for (i32 a = 0; a < every; a++) {
    const i32 at    = every - 1 - a; /* its change */
    f64       left  = N(rank_change)(own, wide, at + 1, at) - N(rank_change)(own, wide, at, at);
    f64       sum   = N(rank_change)(own, wide, every, at);
    const f64 least = 1e-10 * left;
    for (i32 b = 0; b < a; b++) {
      const i32 with  = every - 1 - b; /* newer: with > at */
      const f64 pivot = L[every * b + b];
      f64       entry = N(rank_change)(own, wide, with + 1, at) - N(rank_change)(own, wide, with, at);
      for (i32 c = 0; c < b; c++) entry -= L[every * a + c] * L[every * b + c];
      L[every * a + b] = entry = pivot > 0 ? entry / pivot : 0;
      left -= entry * entry;
      sum -= entry * y[with];
    }
    L[every * a + a] = left > least ? sqrt(left) : 0;
    y[at]            = left > least ? sum / L[every * a + a] : 0;
  }
  for (i32 a = every - 1; a >= 0; a--) {
    const f64 pivot = L[every * a + a];
    f64       sum   = y[every - 1 - a];
    for (i32 b = a + 1; b < every; b++) sum -= L[every * b + a] * y[every - 1 - b];
    y[every - 1 - a] = pivot > 0 ? sum / pivot : 0;
  }
}

#define INC_RANK_TAKE(F)                     \
  INC_RANK(F)                                \
  F(size, i32, every, "every")               \
  F(in, f64, gamma, "members,every")         \
  F(in, f32, f, "every+1,nodes," STR(STATE)) \
  F(rw, real, u, "nodes," STR(DIM))          \
  F(rw, f64, p, "nodes")
KERNEL(N(inc_rank_take), INC_RANK_TAKE, indirect)
{
  const i32 m = member[i];
  if (!active[m] || begun[m] <= every) return;
  for (i32 k = 0; k < STATE; k++) {
    f64 sum = 0;
    for (i32 j = 0; j < every; j++) sum += gamma[every * m + j] * (f64)f[STATE * (n * (j + 1) + i) + k];
    if (k < DIM) u[DIM * i + k] -= (real)sum;
    if (k == DIM) p[i] -= sum;
  }
}
