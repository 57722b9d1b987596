/* cells.h - kernels on cells that are volumes of their own, once per dimension as those of meshes.h; shapes of cells
 * are in mesh/cells.h, in space in mesh/cells_space.h.                                             */
#include "mesh/cell_gradient.h"

/* The kernels of these headers and their sets. */
/* clang-format off */
#define CELLS_LIST(K, D)                                                                          \
  K(vertex_values##D, vertices) K(cell_gradient##D, nodes)
/* clang-format on */
