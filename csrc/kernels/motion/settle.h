/* settle.h - nodes between bodies settle where springs resist least: what a solution begins from, its sides and
 * where nodes go (docs/theory.md, section 3), once per dimension.  Displacements in chords.       */

/* A copy of the members with a mark only. */
#define COPY_MARKED(F)                \
  F(in, i32, member, "items>members") \
  F(in, i32, mark, "members")         \
  F(in, f64, from, "items," STR(DIM)) \
  F(rw, f64, to, "items," STR(DIM))
LANES(N(copy_marked), COPY_MARKED, indirect, DIM)
{
  if (!mark[member[i]]) return;
  EACH_LANE(k, DIM) to[k] = from[k];
}

/* A matrix in single precision, for what preconditions alone. */
#define SPRING_NARROW(F) COPY(F, f64, f32, "blocks," STR(ND))
LANES(N(spring_narrow), SPRING_NARROW, indirect, ND)
{
  for (i32 k = lane; k < lane + WIDTH(ND); k++) BLOCK_AT(to, ND, i)[k] = (f32)BLOCK_AT(from, ND, i)[k];
}

/* A matrix as it is before it is factored. */
#define SPRING_COPY(F) COPY(F, f64, f64, "blocks," STR(ND))
LANES(N(spring_copy), SPRING_COPY, indirect, ND)
{
  for (i32 k = lane; k < lane + WIDTH(ND); k++) BLOCK_AT(to, ND, i)[k] = BLOCK_AT(from, ND, i)[k];
}

/* First guess of the displacements, and the given ones alone: extrapolated inside from the last four. */
#define SPRING_GUESS(F)                                                    \
  F(in, i32, node, "rows>nodes!")                                          \
  F(in, i32, fixed, "nodes")                                               \
  F(in, f64, x, "nodes," STR(DIM))                                         \
  F(in, f64, target, "nodes," STR(DIM)) /* where fixed nodes go */         \
  F(in, i32, member, "nodes>members")                                      \
  F(in, f64, history, "members,4") /* factors of the last displacements */ \
  F(in, real, d1, "rows," STR(DIM))                                        \
  F(in, real, d2, "rows," STR(DIM))                                        \
  F(in, real, d3, "rows," STR(DIM))                                        \
  F(in, real, d4, "rows," STR(DIM))                                        \
  F(out, real, guess, "rows," STR(DIM))                                    \
  F(out, real, given, "rows," STR(DIM))
LANES(N(spring_guess), SPRING_GUESS, indirect, DIM)
{
  const i32  a = node[i];
  const f64 *c = history + 4 * member[a];
  for (i32 k = lane; k < lane + WIDTH(DIM); k++) {
    const i32  at   = DIM * i + k;
    const real to   = (real)(target[DIM * a + k] - x[DIM * a + k]);
    const real like = (real)c[0] * d1[at] + (real)c[1] * d2[at] + (real)c[2] * d3[at] + (real)c[3] * d4[at];
    guess[at]       = fixed[a] ? to : like;
    given[at]       = fixed[a] ? to : R(0);
  }
}

/* Right-hand side -K d with nothing asked of fixed rows. */
#define SPRING_SIDE(F)              \
  F(in, i32, node, "rows>nodes!")   \
  F(in, i32, fixed, "nodes")        \
  F(in, real, Kd, "rows," STR(DIM)) \
  F(out, real, side, "rows," STR(DIM))
LANES(N(spring_side), SPRING_SIDE, indirect, DIM)
{
  for (i32 k = lane; k < lane + WIDTH(DIM); k++) side[DIM * i + k] = fixed[node[i]] ? R(0) : -Kd[DIM * i + k];
}

/* Members that no guess serves better than this one start from none: a body that stops, say. */
#define SPRING_CHOOSE(F)                                     \
  F(in, i32, node, "rows>nodes!")                            \
  F(in, i32, member, "nodes>members")                        \
  F(in, f64, squares, "members")      /* |b|^2 */            \
  F(in, f64, base_squares, "members") /* that of no guess */ \
  F(in, real, given, "rows," STR(DIM))                       \
  F(in, real, base, "rows," STR(DIM))                        \
  F(rw, real, guess, "rows," STR(DIM))                       \
  F(rw, real, b, "rows," STR(DIM))
LANES(N(spring_choose), SPRING_CHOOSE, indirect, DIM)
{
  const i32 m = member[node[i]];
  if (!(squares[m] > base_squares[m])) return;
  EACH_LANE(k, DIM)
  {
    guess[k] = given[k];
    b[k]     = base[k];
  }
}

/* x += d, fixed nodes to their place; the displacements move up one level. */
#define SPRING_MOVE(F)                                                  \
  F(in, i32, node, "rows>nodes!")                                       \
  F(in, i32, member, "nodes>members")                                   \
  F(in, i32, active, "members")                                         \
  F(in, i32, fixed, "nodes")                                            \
  F(in, f64, target, "nodes," STR(DIM))                                 \
  F(in, real, guess, "rows," STR(DIM))                                  \
  F(in, real, e, "rows," STR(DIM)) /* solved correction of the guess */ \
  F(rw, f64, x, "nodes," STR(DIM))                                      \
  F(rw, real, d1, "rows," STR(DIM))                                     \
  F(rw, real, d2, "rows," STR(DIM))                                     \
  F(rw, real, d3, "rows," STR(DIM))                                     \
  F(out, real, d4, "rows," STR(DIM))
LANES(N(spring_move), SPRING_MOVE, indirect, DIM)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  for (i32 k = lane; k < lane + WIDTH(DIM); k++) {
    const real d    = guess[DIM * i + k] + e[DIM * i + k];
    d4[DIM * i + k] = d3[DIM * i + k];
    d3[DIM * i + k] = d2[DIM * i + k];
    d2[DIM * i + k] = d1[DIM * i + k];
    d1[DIM * i + k] = d;
    x[DIM * a + k]  = fixed[a] ? target[DIM * a + k] : x[DIM * a + k] + (f64)d;
  }
}

/* Rows of blocks as rows of numbers, what cuSPARSE takes: to holds CSR. */
#define SPRING_CSR(F)               \
  F(in, i32, row, "rows+1>>blocks") \
  F(in, real, A, "blocks," STR(ND)) \
  F(out, real, to, "blocks," STR(ND))
LANES(N(spring_csr), SPRING_CSR, indirect, DIM)
{
  const i32 first = row[i], count = row[i + 1] - first;
  for (i32 k = lane; k < lane + WIDTH(DIM); k++)
    for (i32 b = 0; b < count; b++)
      for (i32 j = 0; j < DIM; j++) to[ND * first + DIM * (k * count + b) + j] = A[ND * (first + b) + ENTRY(DIM, k, j)];
}
