/* springs.h - torsional springs at the corners of triangles (Farhat et al. 1998; theory,
 * section 3), assembled by rows: each row gathers from the triangles of its node (Ma et al.,
 * Algorithm 1), so nothing is written twice.                                                    */

/* K of triangle (i, j, k), the rows of i: K = R^T C R, C = 1/sin^2 of each angle. */
HD void spring_corner(struct vec2 ij, struct vec2 ik, f64 *ii, f64 *ijb, f64 *ikb)
{
  const struct vec2 jk  = minus(ik, ij);
  const f64         lij = dot(ij, ij), lik = dot(ik, ik), ljk = dot(jk, jk), twice = cross(ij, ik);
  const f64         area2 = twice * twice;
  const f64         aij = ij.x / lij, bij = ij.y / lij, aik = ik.x / lik, bik = ik.y / lik;
  const f64         ajk = jk.x / ljk, bjk = jk.y / ljk;
  /* rows of R: change of the angles at i, j, k by (u_i, v_i, u_j, v_j, u_k, v_k), eq. 3.2 */
  const f64 Rm[3][6] = {{bik - bij, aij - aik, bij, -aij, -bik, aik},
                        {bij, -aij, -bij - bjk, ajk + aij, bjk, -ajk},
                        {-bik, aik, bjk, -ajk, bik - bjk, ajk - aik}};
  const f64 C[3]     = {lij * lik / area2, lij * ljk / area2, lik * ljk / area2};
  for (i32 m = 0; m < 3; m++)
    for (i32 r = 0; r < 2; r++)
      for (i32 c = 0; c < 2; c++) {
        const f64 left = C[m] * Rm[m][r];
        ii[ENTRY(2, r, c)] += left * Rm[m][c];
        ijb[ENTRY(2, r, c)] += left * Rm[m][2 + c];
        ikb[ENTRY(2, r, c)] += left * Rm[m][4 + c];
      }
}

/* The row is scaled by the inverse of its diagonal block D, so that residuals are those that the
 * springs stop on (eq. 3.6); rows of fixed nodes are those of the unit matrix.                   */
#define SPRING_ROWS(F)                                                  \
  F(in, i32, node, "rows>nodes!")                                       \
  F(in, i32, member, "nodes>members")                                   \
  F(in, f64, x, "nodes,2")                                              \
  F(in, i32, fixed, "nodes") /* 1: displacement is given */             \
  F(in, i32, row, "rows+1>>blocks")                                     \
  F(in, i32, diagonal, "rows>blocks!")                                  \
  F(in, i32, fans, "rows+1>>fan")   /* triangles around a row's node */ \
  F(in, i32, others, "fan,2>nodes") /* its other two nodes */           \
  F(in, i32, slots, "fan,2>blocks") /* their blocks in this row */      \
  F(out, real, D, "rows,4")                                             \
  F(out, real, A, "blocks,4")                                           \
  F(inc, u64, faults, "members")
KERNEL(spring_rows, SPRING_ROWS, heavy)
{
  const i32         a = node[i], free = !fixed[a];
  const struct vec2 at    = point(x, a);
  f64               ii[4] = {0, 0, 0, 0};
  for (i32 k = 4 * row[i]; k < 4 * row[i + 1]; k++) A[k] = 0;
  for (i32 f = free ? fans[i] : fans[i + 1]; f < fans[i + 1]; f++) {
    f64 ij[4] = {0, 0, 0, 0}, ik[4] = {0, 0, 0, 0};
    spring_corner(minus(point(x, others[2 * f]), at), minus(point(x, others[2 * f + 1]), at), ii, ij, ik);
    for (i32 k = 0; k < 4; k++) A[4 * slots[2 * f] + k] += (real)ij[k];
    for (i32 k = 0; k < 4; k++) A[4 * slots[2 * f + 1] + k] += (real)ik[k];
  }
  if (!free) ii[0] = ii[3] = 1;
  const f64 det = ii[0] * ii[3] - ii[1] * ii[2];
  if (!(det > 0)) fault(&faults[member[a]], FAULT_PIVOT, a);
  const real d[4] = {(real)(ii[3] / det), (real)(-ii[1] / det), (real)(-ii[2] / det), (real)(ii[0] / det)};
  for (i32 k = 0; k < 4; k++) D[4 * i + k] = (real)ii[k];
  for (i32 b = row[i]; b < row[i + 1]; b++)
    for (i32 j = 0; j < 2; j++) {
      real      *c = A + 4 * b + 2 * j;
      const real u = c[0], v = c[1];
      c[0] = b == diagonal[i] ? R(j == 0) : d[0] * u + d[2] * v;
      c[1] = b == diagonal[i] ? R(j == 1) : d[1] * u + d[3] * v;
    }
}

/* First guess of the displacements, and the given ones alone: 2 d^n - d^(n-1) inside. */
#define SPRING_GUESS(F)                                                        \
  F(in, i32, node, "rows>nodes!")                                              \
  F(in, i32, fixed, "nodes")                                                   \
  F(in, f64, x, "nodes,2")                                                     \
  F(in, f64, target, "nodes,2") /* where fixed nodes go */                     \
  F(in, i32, member, "nodes>members")                                          \
  F(in, f64, history, "members,2") /* factors of the last two displacements */ \
  F(in, real, d1, "rows,2")                                                    \
  F(in, real, d2, "rows,2")                                                    \
  F(out, real, guess, "rows,2")                                                \
  F(out, real, given, "rows,2")
LANES(spring_guess, SPRING_GUESS, indirect, 2)
{
  const i32  a = node[i];
  const f64 *c = history + 2 * member[a];
  for (i32 k = lane; k < lane + WIDTH(2); k++) {
    const real to    = (real)(target[2 * a + k] - x[2 * a + k]);
    guess[2 * i + k] = fixed[a] ? to : (real)c[0] * d1[2 * i + k] + (real)c[1] * d2[2 * i + k];
    given[2 * i + k] = fixed[a] ? to : R(0);
  }
}

/* Right-hand side -K d with nothing asked of fixed rows. */
#define SPRING_SIDE(F)            \
  F(in, i32, node, "rows>nodes!") \
  F(in, i32, fixed, "nodes")      \
  F(in, real, Kd, "rows,2")       \
  F(out, real, side, "rows,2")
LANES(spring_side, SPRING_SIDE, indirect, 2)
{
  for (i32 k = lane; k < lane + WIDTH(2); k++) side[2 * i + k] = fixed[node[i]] ? R(0) : -Kd[2 * i + k];
}

/* x += d, fixed nodes to their place; the displacements move up one level. */
#define SPRING_MOVE(F)                                          \
  F(in, i32, node, "rows>nodes!")                               \
  F(in, i32, member, "nodes>members")                           \
  F(in, i32, active, "members")                                 \
  F(in, i32, fixed, "nodes")                                    \
  F(in, f64, target, "nodes,2")                                 \
  F(in, real, guess, "rows,2")                                  \
  F(in, real, e, "rows,2") /* solved correction of the guess */ \
  F(rw, f64, x, "nodes,2")                                      \
  F(rw, real, d1, "rows,2")                                     \
  F(out, real, d2, "rows,2")
LANES(spring_move, SPRING_MOVE, indirect, 2)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  for (i32 k = lane; k < lane + WIDTH(2); k++) {
    const real d  = guess[2 * i + k] + e[2 * i + k];
    d2[2 * i + k] = d1[2 * i + k];
    d1[2 * i + k] = d;
    x[2 * a + k]  = fixed[a] ? target[2 * a + k] : x[2 * a + k] + (f64)d;
  }
}

/* Of the members with a mark only. */
#define COPY_MARKED(F)                \
  F(in, i32, member, "items>members") \
  F(in, i32, mark, "members")         \
  F(in, f64, from, "items,2")         \
  F(rw, f64, to, "items,2")
LANES(copy_marked, COPY_MARKED, indirect, 2)
{
  if (!mark[member[i]]) return;
  for (i32 k = 2 * i + lane; k < 2 * i + lane + WIDTH(2); k++) to[k] = from[k];
}
