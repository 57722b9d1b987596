/* jacobian.h - what the matrices of first-order fluxes with frozen dissipation (theory, section 2.5) share, in block
 * CSR whose rows are nodes in colour order; once per dimension.  Each is made by matrix.h.
 *   [V/dtau + c0 V + dR/du] du = -res
 * Blocks [chord a_inf]: a residual's units per those of u.                                        */

/* The row of node i from its edges: the block of a neighbour j is dF/du_j, what leaves
 * by the node's own state goes to the diagonal with both time terms.  Each edge is seen from both
 * sides: that computes its Roe average twice and saves a second pass over the matrix, which is
 * dearer (CPU, 94 thousand nodes: 27 ms before, see docs/performance.md).  Over nodes: in the order of
 * rows, by colour, what edges read lies apart (a C-mesh of 57 thousand nodes, one core: 20 ms in place of
 * 12).  rhs = -res.                                                                             */
#define ALE_JACOBIAN(F)                                                \
  F(in, i32, row_of, "nodes>rows!")                                    \
  F(in, i32, member, "nodes>members")                                  \
  F(in, i32, active, "members")                                        \
  F(in, i32, diagonal, "rows>blocks!")                                 \
  F(in, i32, offsets, "nodes+1>>entries")                              \
  F(in, i32, neighbour, "entries>nodes")                               \
  F(in, i32, edge, "entries>edges")                                    \
  F(in, i32, slot, "entries>blocks!")                                  \
  F(in, real, S, "edges," STR(DIM))                                    \
  F(in, real, w, "edges")                                              \
  F(near, real, q, "nodes," STR(NV))                                   \
  F(in, real, jacobian_fix, "members") /* entropy fix of the matrix */ \
  F(in, f64, low_mach, "members,2")                                    \
  F(in, f64, V, "nodes")                                               \
  F(in, f64, bdf, "members,3")                                         \
  F(in, f64, cfl, "members")                                           \
  F(in, f64, pace, "nodes")                                            \
  F(in, real, res, "nodes," STR(NV))                                   \
  F(upd, real, A, "blocks," STR(NB))                                   \
  F(out, real, rhs, "rows," STR(NV))
/* Fields of viscosity: c of the matrix, viscosities, factors of the conduction of heat (theory eq. 9.4, 9.5). */
#define VISCOUS_JACOBIAN(F)              \
  F(in, f32, compact, "edges")           \
  F(near, f64, mu, "nodes,2")            \
  F(val, real, conduct, "") /* 1 / Pr */ \
  F(val, real, conduct_eddy, "")
/* An edge of that for the lanes' columns: takes it from the neighbour's block, adds it to the diagonal one; its
 * share of 1 / dtau.                                                                            */
HD real N(viscous_row)(const i32 a, const i32 b, const i32 f, const i32 lane, const real *l, const real *r,
                       const real *out, real *to, N(column) d[] VISCOUS_JACOBIAN(PARAM))
{
  const real square = N(vec_dot)(out, out), per = square > 0 ? reciprocal_root(square) : R(0), c = (real)compact[f];
  const real molecules = (real)(0.5 * (mu[2 * a] + mu[2 * b])) * c;
  const real eddies    = (real)(0.5 * (mu[2 * a + EDDY] + mu[2 * b + EDDY])) * c;
  const real m = molecules + eddies, k = GAMMA * (molecules * conduct + eddies * conduct_eddy);
  real       n[DIM], v[DIM], column[NV];
  for (i32 l_ = 0; l_ < DIM; l_++) n[l_] = per * out[l_], v[l_] = R(0.5) * (l[VELOCITY + l_] + r[VELOCITY + l_]);
  for (i32 j = 0; j < WIDTH(NV); j++) {
    real *own = to + ENTRY(NV, 0, lane + j);
    N(viscous_column)(r, n, v, m, k, lane + j, column);
    for (i32 t = 0; t < NV; t++) own[t] -= column[t];
    N(viscous_column)(l, n, v, m, k, lane + j, column);
    for (i32 t = 0; t < NV; t++) d[j][t] += column[t];
  }
  return R(2) * m * reciprocal(l[DENSITY]);
}

#define VISCOUS_ROWS(F) ALE_JACOBIAN(F) VISCOUS_JACOBIAN(F)
