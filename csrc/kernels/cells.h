/* cells.h - kernels on cells that are volumes of their own, once per dimension as those of meshes.h; shapes of cells
 * are in mesh/cells.h, in space in mesh/cells_space.h.                                             */
#include "mesh/cell_gradient.h"
#include "mesh/stick.h"

/* The kernels of these headers and their sets. */
/* clang-format off */
#define CELLS_LIST(K, D)                                                                          \
  K(vertex_values##D, vertices) K(cell_gradient##D, nodes)                                        \
  K(wall_compact##D, bnodes) K(wall_stress##D, bnodes) K(bc_stick##D, bnodes)                     \
  K(bc_stick_jacobian##D, bnodes) K(bc_slip_stress##D, bnodes) K(bc_slip_jacobian##D, bnodes)     \
  K(eddy_wall##D, bnodes) K(eddy_wall_residual##D, bnodes)
/* clang-format on */
