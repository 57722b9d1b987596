/* meshes.h - kernels on meshes that know neither the shape of cells nor how many dimensions there are, once
 * per dimension as those of dimension.h: in space with area vectors, swept and dual volumes of its own
 * (in the plane mesh/metrics.h, cells.h).                                                         */
#include "mesh/boundary.h"
#include "mesh/jacobian.h"
#include "mesh/lusgs.h"

/* The kernels of these headers and their sets, but for those of faces.h. */
/* clang-format off */
#define MESH_LIST(K, D)                                                                           \
  K(ale_jacobian##D, rows) K(lusgs_sweep##D, rows)                                                \
  K(bc_wall##D, bnodes) K(bc_wall_jacobian##D, bnodes) K(bc_farfield##D, bnodes)                  \
  K(bc_farfield_jacobian##D, bnodes) K(bc_outlet##D, bnodes) K(bc_outlet_jacobian##D, bnodes)     \
  K(bc_inlet##D, bnodes) K(bc_inlet_jacobian##D, bnodes)
/* clang-format on */
