/* meshes.h - kernels on meshes that know neither the shape of cells nor how many dimensions there are, once
 * per dimension as those of dimension.h: in space with area vectors, swept and dual volumes of its own
 * (in the plane mesh/metrics.h, cells.h).                                                         */
#include "mesh/boundary.h"
#include "mesh/jacobian.h"
#include "mesh/lusgs.h"
#include "mesh/viscous.h"
#include "mesh/no_slip.h"
#include "mesh/eddies.h"
#include "mesh/distance.h"

/* The kernels of these headers and their sets, but for those of faces.h. */
/* clang-format off */
#define MESH_LIST(K, D)                                                                           \
  K(ale_jacobian##D, nodes) K(lusgs_sweep##D, rows)                                                \
  K(bc_wall##D, bnodes) K(bc_wall_jacobian##D, bnodes) K(bc_farfield##D, bnodes)                  \
  K(bc_farfield_jacobian##D, bnodes) K(bc_outlet##D, bnodes) K(bc_outlet_jacobian##D, bnodes)     \
  K(bc_inlet##D, bnodes) K(bc_inlet_jacobian##D, bnodes)                                          \
  K(ale_jacobian_viscous##D, nodes) K(gas_viscosity##D, nodes) K(viscous_compact##D, edges)        \
  K(wall_move##D, bnodes) K(wall_stick##D, bnodes) K(bc_no_slip##D, bnodes)                       \
  K(bc_no_slip_jacobian##D, bnodes) K(wall_reaction##D, groups)                                  \
  K(eddy_gradient##D, nodes) K(eddy_rows##D, nodes) K(eddy_through##D, bnodes)                     \
  K(wall_groups##D, groups) K(wall_distance##D, nodes)
/* clang-format on */
