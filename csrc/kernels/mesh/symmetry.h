/* symmetry.h - nodes of a mesh on planes of symmetry, in space: no momentum across, in the residual and in the
 * rows of the matrix, last of all that is summed there.  Their states slip (flow/state.h), their gradients are
 * even (cloud/symmetry.h).  Units as in boundary.h.                                              */

#define ON_SYMMETRY(F)                \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, plane, "members,3") /* its unit normal */
#define BC_SYMMETRY(F) ON_SYMMETRY(F) F(rw, real, res, "nodes,5")
KERNEL(bc_symmetry_3d, BC_SYMMETRY, indirect)
{
  const i32 a = node[i], m = member[a];
  if (active[m]) along_3d(plane + 3 * m, res + 5 * a + MOMENTUM);
}

/* Rows of such a node: of the momentum across, only that it does not change. */
#define BC_SYMMETRY_JACOBIAN(F)        \
  ON_SYMMETRY(F)                       \
  F(in, i32, line, "bnodes>rows!")     \
  F(in, i32, row, "rows+1>>blocks")    \
  F(in, i32, diagonal, "rows>blocks!") \
  F(rw, real, A, "blocks,25")
KERNEL(bc_symmetry_jacobian_3d, BC_SYMMETRY_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a], at = line[i];
  if (!active[m]) return;
  const real *unit = plane + 3 * m;
  real       *own = BLOCK_AT(A, 25, diagonal[at]), size = 0;
  for (i32 j = 0; j < 3; j++) size += unit[j] * vec_dot_3d(unit, own + ENTRY(5, MOMENTUM, MOMENTUM + j));
  for (i32 b = row[at]; b < row[at + 1]; b++)
    for (i32 j = 0; j < 5; j++) along_3d(unit, BLOCK_AT(A, 25, b) + ENTRY(5, MOMENTUM, j));
  for (i32 j = 0; j < 3; j++)
    for (i32 k = 0; k < 3; k++) own[ENTRY(5, MOMENTUM + k, MOMENTUM + j)] += size * unit[k] * unit[j];
}

/* Row of such a node in a product with the derivative of the residual (flow/newton.h), z by nodes: T times what
 * goes across, of the size of the matrix's own row.  What rounding leaves there would grow without that.  */
#define NEWTON_SYMMETRY(F)     \
  ON_SYMMETRY(F)               \
  F(in, real, T, "nodes")      \
  F(in, f32, z, "nodes,width") \
  F(size, i32, width, "width") \
  F(rw, f32, w, "nodes,width")
KERNEL(newton_symmetry_3d, NEWTON_SYMMETRY, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real d[3], to[3];
  for (i32 k = 0; k < 3; k++) d[k] = (real)z[width * a + MOMENTUM + k], to[k] = (real)w[width * a + MOMENTUM + k];
  along_3d(plane + 3 * m, to);
  const real across = T[a] * vec_dot_3d(plane + 3 * m, d);
  for (i32 k = 0; k < 3; k++) w[width * a + MOMENTUM + k] = (f32)(to[k] + across * plane[3 * m + k]);
}
