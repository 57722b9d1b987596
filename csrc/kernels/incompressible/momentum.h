/* momentum.h - the momentum equation (docs/theory.md, eq. 7.4 to 7.6): residual of nodes, the scalar matrix
 * that steers its solution, and who goes on.
 * Volume fluxes [U chord], residuals [U^2 chord]; in space times chord. */

/* res = c0 V u + c1 V^n u^n + c2 V^(n-1) u^(n-1) + sum of Phi u_e - nu sum of l u - u sum of flow + V G(p);
 * Phi = flow - w of an edge, l: the Laplacian's entries, by which viscous stresses of facets add up (eq. 7.3). */
#define INC_RESIDUAL(F)                                              \
  F(in, i32, member, "nodes>members")                                \
  F(in, i32, active, "members")                                      \
  F(opt, i32, only, "nodes") /* 2 where it is asked */               \
  F(in, i32, offsets, "nodes+1>>entries")                            \
  F(in, i32, neighbour, "entries>nodes")                             \
  F(in, i32, edge, "entries>edges")                                  \
  F(in, i32, row, "nodes+1>>blocks")                                 \
  F(in, i32, column, "blocks>nodes")                                 \
  F(in, real, laplacian, "blocks")                                   \
  F(near, f64, x, "nodes," STR(DIM))                                 \
  F(in, real, flow, "edges") /* volume flux, extrapolated in time */ \
  F(in, real, w, "edges")                                            \
  F(in, f64, viscosity, "members")                                   \
  F(in, f64, V, "nodes")                                             \
  F(in, f64, V1, "nodes")                                            \
  F(in, f64, V2, "nodes")                                            \
  F(near, real, u, "nodes," STR(DIM))                                \
  F(in, real, u1, "nodes," STR(DIM))                                 \
  F(in, real, u2, "nodes," STR(DIM))                                 \
  F(near, real, grad, "nodes," STR(ND))                              \
  F(in, real, push, "nodes," STR(DIM)) /* G(p) */                    \
  F(in, f64, bdf, "members,3")                                       \
  F(val, real, blend, "")                                            \
  F(out, real, res, "nodes," STR(DIM))
LANES(N(inc_residual), INC_RESIDUAL, indirect, DIM)
{
  const i32 m = member[i];
  if (!active[m] || (only && only[i] < 2)) return;
  const real c0 = (real)(bdf[3 * m] * V[i]), c1 = (real)(bdf[3 * m + 1] * V1[i]), c2 = (real)(bdf[3 * m + 2] * V2[i]);
  const real nu = (real)viscosity[m];
  real       s[WIDTH(DIM)], rubs[WIDTH(DIM)], half[DIM], net = 0;
  for (i32 k = 0; k < WIDTH(DIM); k++) s[k] = rubs[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32  j    = neighbour[e];
    const real sign = j > i ? R(1) : R(-1); /* an edge runs to its higher node */
    const real out = sign * (flow[edge[e]] - w[edge[e]]), ahead = out > 0 ? R(0.5) : R(-0.5);
    const i32  up = out > 0 ? i : j, down = out > 0 ? j : i;
    net += sign * flow[edge[e]];
    for (i32 k = 0; k < DIM; k++) half[k] = ahead * (real)(x[DIM * j + k] - x[DIM * i + k]);
    for (i32 k = lane; k < lane + WIDTH(DIM); k++)
      s[k - lane] += out * N(edge_carried)(u[DIM * up + k], u[DIM * down + k], grad + ND * up + DIM * k, half, blend);
  }
  for (i32 b = row[i]; b < row[i + 1]; b++)
    for (i32 k = 0; k < WIDTH(DIM); k++)
      rubs[k] += laplacian[b] * (u[DIM * column[b] + lane + k] - u[DIM * i + lane + k]);
  for (i32 k = 0; k < WIDTH(DIM); k++) {
    const i32 at = DIM * i + lane + k;
    res[at] = s[k] - nu * rubs[k] - net * u[at] + (c0 * u[at] + (c1 * u1[at] + c2 * u2[at])) + (real)V[i] * push[at];
  }
}

/* Row i of the matrix M_ij = min(s Phi, 0) - nu l_ij, M_ii = c0 V - sum of M_ij; that of a node whose velocity
 * is given is of the unit matrix.  l: the Laplacian's entries. */
#define INC_MATRIX(F)                     \
  F(in, i32, node, "rows>nodes!")         \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(in, i32, row, "rows+1>>blocks")       \
  F(in, i32, diagonal, "rows>blocks!")    \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, edge, "entries>edges")       \
  F(in, i32, slot, "entries>blocks!")     \
  F(in, i32, given, "nodes")              \
  F(in, f32, laplacian, "blocks")         \
  F(in, real, flow, "edges")              \
  F(in, real, w, "edges")                 \
  F(in, f64, V, "nodes")                  \
  F(in, f64, bdf, "members,3")            \
  F(in, f64, viscosity, "members")        \
  F(upd, f32, A, "blocks,1")
KERNEL(N(inc_matrix), INC_MATRIX, heavy)
{
  const i32 a = node[i], m = member[a], fixed = given[a];
  if (!active[m]) return;
  const f32 nu  = fixed ? 0 : (f32)viscosity[m];
  f32       sum = 0;
  for (i32 b = row[i]; b < row[i + 1]; b++) A[b] = -nu * laplacian[b];
  for (i32 e = offsets[a]; e < offsets[a + 1] && !fixed; e++) {
    const real through = (neighbour[e] > a ? R(1) : R(-1)) * (flow[edge[e]] - w[edge[e]]);
    A[slot[e]] += (f32)smaller(through, R(0));
  }
  for (i32 b = row[i]; b < row[i + 1]; b++)
    if (b != diagonal[i]) sum += A[b];
  A[diagonal[i]] = fixed ? 1 : (f32)(bdf[3 * m] * V[a]) - sum;
}

/* The matrix in blocks where planes of symmetry are: nothing of a row is across the plane at its node but that
 * component itself, so that neighbours see it fixed (eq. 7.6a); normal: unit vectors there, 0 elsewhere. */
#define INC_PLANES(F)                   \
  F(in, i32, node, "rows>nodes!")       \
  F(in, i32, member, "nodes>members")   \
  F(in, i32, active, "members")         \
  F(in, i32, row, "rows+1>>blocks")     \
  F(in, i32, diagonal, "rows>blocks!")  \
  F(in, f32, scalar, "blocks,1")        \
  F(in, f32, normal, "nodes," STR(DIM)) \
  F(upd, f32, A, "blocks," STR(ND))
KERNEL(N(inc_planes), INC_PLANES, heavy)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  const f32 *way = normal + DIM * a;
  for (i32 b = row[i]; b < row[i + 1]; b++)
    for (i32 k = 0; k < ND; k++) {
      const f32 along = k / DIM == k % DIM, across = b == diagonal[i] ? 0 : way[k / DIM] * way[k % DIM];
      BLOCK_AT(A, ND, b)[k] = scalar[b] * (along - across);
    }
}

/* The side -res of a row, and the change of the velocity that it leads to. */
#define INC_ROWS(F)                   \
  F(in, i32, node, "rows>nodes!")     \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, i32, given, "nodes")
#define INC_SIDE(F)                   \
  INC_ROWS(F)                         \
  F(in, real, res, "nodes," STR(DIM)) \
  F(out, f32, side, "rows," STR(DIM))
LANES(N(inc_side), INC_SIDE, indirect, DIM)
{
  const i32 a = node[i];
  if (!active[member[a]]) return;
  for (i32 k = lane; k < lane + WIDTH(DIM); k++) side[DIM * i + k] = given[a] ? 0 : (f32)-res[DIM * a + k];
}

#define INC_UPDATE(F)              \
  INC_ROWS(F)                      \
  F(in, f32, du, "rows," STR(DIM)) \
  F(rw, real, u, "nodes," STR(DIM))
LANES(N(inc_update), INC_UPDATE, indirect, DIM)
{
  const i32 a = node[i];
  if (!active[member[a]] || given[a]) return;
  for (i32 k = lane; k < lane + WIDTH(DIM); k++) u[DIM * a + k] += (real)du[DIM * i + k];
}

/* Norm of the residual of the nodes whose velocity is not given, and what follows: drop, count. */
#define INC_CHECK(F)                                                        \
  F(in, real, res, "nodes," STR(DIM))                                       \
  F(in, i32, given, "nodes")                                                \
  TOTALS(F, "nodes")                                                        \
  F(upd, f64, parts, "groups,1")                                            \
  F(inc, u64, faults, "members")                                            \
  F(in, f64, floor, "members") /* norm below which a residual is nothing */ \
  F(val, f64, drop, "")        /* norm over base at which to stop */        \
  F(val, i32, most, "")        /* iterations allowed */                     \
  F(rw, i32, active, "members")                                             \
  F(rw, i32, iterations, "members")                                         \
  F(rw, f64, base, "members") /* the first norm */                          \
  F(out, f64, norm, "members")
TOTAL(N(inc_check), INC_CHECK, sum, 1, active[m])
{
  for (i32 k = 0; k < DIM && !given[i]; k++) s[0] += (f64)res[DIM * i + k] * (f64)res[DIM * i + k];
}
OF_MEMBER(N(inc_check), INC_CHECK)
{
  norm[m] = sqrt(s[0]);
  if (iterations[m] == 0) base[m] = norm[m];
  if (!(norm[m] <= fmin(1e5 * fmax(base[m], floor[m]), (f64)1e300))) fault(&faults[m], FAULT_DIVERGED, 0);
  if (norm[m] <= drop * base[m] || norm[m] <= floor[m] || iterations[m] >= most || faults[m] != ~(u64)0)
    active[m] = 0;
  else
    iterations[m]++;
}
