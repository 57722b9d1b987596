/* lines.h - systems along lines of rows, by block tridiagonal factors of a matrix that block.h has factored: its rows
 * are scaled by D^-1, which leaves their solution as it is (docs/theory.md, section 5.5).  B rows and columns of a block, BB entries.
 * Place p of a line has row place[p]; back[p], on[p]: the blocks by which it reads the place before and behind, -1
 * at the ends.  T x = b with  E_1 = a_1,  E_p = a_p - l_p E_p-1^-1 u_p-1,  and E holds their inverses.     */

#define LINE_LONGEST 8 /* places of a line at most */
#define LINE_PLACES(F)                \
  F(in, i32, line, "lines+1>>places") \
  F(in, i32, place, "places>rows!")   \
  F(in, i32, back, "places>blocks?")  \
  F(in, i32, on, "places>blocks?")    \
  F(in, i32, member, "rows>members")  \
  F(in, i32, live, "members")         \
  F(in, real, A, "blocks," STR(BB))

/* y += a x, of whole blocks. */
HD void K(line_apply_)(const real *a, const real *x, real *y)
{
  for (i32 k = 0; k < B; k++)
    for (i32 r = 0; r < B; r++) y[r] += a[ENTRY(B, r, k)] * x[k];
}

#define LINE_FACTOR(F)                 \
  LINE_PLACES(F)                       \
  F(in, i32, node, "rows")             \
  F(in, i32, diagonal, "rows>blocks!") \
  F(out, real, E, "places," STR(BB))   \
  F(inc, u64, faults, "members")
KERNEL(K(line_factor_), LINE_FACTOR, heavy)
{
  if (!live[member[place[line[i]]]]) return;
  for (i32 p = line[i]; p < line[i + 1]; p++) {
    const i32   row = place[p];
    const real *a   = BLOCK_AT(A, BB, diagonal[row]);
    real        d[BB];
    for (i32 k = 0; k < BB; k++) d[k] = a[k];
    for (i32 k = 0; k < B; k++) d[ENTRY(B, k, k)] += R(2); /* block_scale leaves a - 2 there */
    if (back[p] >= 0) {
      const real *l = BLOCK_AT(A, BB, back[p]), *u = BLOCK_AT(A, BB, on[p - 1]), *e = E + BB * (p - 1);
      for (i32 j = 0; j < B; j++) {
        real t[B], s[B];
        for (i32 k = 0; k < B; k++) t[k] = s[k] = 0;
        K(line_apply_)(e, u + ENTRY(B, 0, j), t);
        K(line_apply_)(l, t, s);
        for (i32 k = 0; k < B; k++) d[ENTRY(B, k, j)] -= s[k];
      }
    }
    if (!K(block_invert_)(d)) fault(&faults[member[row]], FAULT_PIVOT, node[row]);
    for (i32 k = 0; k < BB; k++) E[BB * p + k] = d[k];
  }
}

/* sum += T^-1 r of the rows of lines, r a side of the scaled system. */
#define LINE_SOLVE(F)               \
  LINE_PLACES(F)                    \
  F(in, real, E, "places," STR(BB)) \
  F(in, real, r, "rows," STR(B))    \
  F(upd, real, sum, "rows," STR(B))
KERNEL(K(line_solve_), LINE_SOLVE, heavy)
{
  if (!live[member[place[line[i]]]]) return;
  const i32 first = line[i], count = line[i + 1] - line[i];
  real      y[LINE_LONGEST][B];
  for (i32 p = 0; p < LINE_LONGEST; p++)
    for (i32 k = 0; k < B; k++) y[p][k] = 0;
  for (i32 p = 0; p < count; p++) {
    real s[B];
    for (i32 k = 0; k < B; k++) s[k] = 0;
    if (p > 0) K(line_apply_)(BLOCK_AT(A, BB, back[first + p]), y[p - 1], s);
    for (i32 k = 0; k < B; k++) s[k] = r[B * place[first + p] + k] - s[k];
    K(line_apply_)(E + BB * (first + p), s, y[p]);
  }
  for (i32 p = count - 1; p >= 0; p--) {
    real s[B], t[B];
    for (i32 k = 0; k < B; k++) s[k] = t[k] = 0;
    if (p < count - 1) {
      K(line_apply_)(BLOCK_AT(A, BB, on[first + p]), y[p + 1], s);
      K(line_apply_)(E + BB * (first + p), s, t);
    }
    for (i32 k = 0; k < B; k++) {
      y[p][k] -= t[k];
      sum[B * place[first + p] + k] += y[p][k];
    }
  }
}

/* r = D^-1 (b - A x), what is left of a side of the scaled system. */
#define LINE_LEFT(F)                   \
  BLOCK_PATTERN(F)                     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(in, real, A, "blocks," STR(BB))    \
  F(in, real, pivot, "rows," STR(BB))  \
  F(in, real, b, "rows," STR(B))       \
  F(near, real, x, "rows," STR(B))     \
  F(out, real, r, "rows," STR(B))
LANES(K(line_left_), LINE_LEFT, heavy, B)
{
  if (!live[member[i]]) return;
  real s[WIDTH(B)], z[WIDTH(B)];
  for (i32 k = 0; k < WIDTH(B); k++) s[k] = R(2) * x[B * i + lane + k], z[k] = 0;
  K(block_apply_)(pivot + BB * i, b + B * i, lane, z);
  for (i32 c = row[i]; c < row[i + 1]; c++) K(block_apply_)(BLOCK_AT(A, BB, c), x + B * column[c], lane, s);
  for (i32 k = 0; k < WIDTH(B); k++) r[B * i + lane + k] = z[k] - s[k];
}

/* sum += more. */
#define LINE_ADD(F)                  \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, real, more, "rows," STR(B))  \
  F(upd, real, sum, "rows," STR(B))
LANES(K(line_add_), LINE_ADD, indirect, B)
{
  if (!live[member[i]]) return;
  for (i32 k = 0; k < WIDTH(B); k++) sum[B * i + lane + k] += more[B * i + lane + k];
}
