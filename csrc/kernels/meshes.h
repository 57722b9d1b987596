/* meshes.h - kernels on meshes that know neither the shape of cells nor how many dimensions there are, once
 * per dimension as those of dimension.h, with area vectors, swept and dual volumes of its own (in the plane
 * mesh/metrics.h, cells.h; in space mesh/metrics_space.h).                                      */
#include "mesh/boundary.h"
#include "mesh/conditions.h"
#include "mesh/lusgs.h"
#include "mesh/terms.h"
#include "mesh/distance.h"
#include "mesh/layers.h"
#include "mesh/viscous.h"
#include "mesh/no_slip.h"
#include "mesh/eddies.h"

/* The kernels of these headers and their sets, but for those of faces.h. */
/* clang-format off */
#define MESH_LIST(K, D)                                                                           \
  K(face_terms##D, groups)                                                                        \
  K(bc_wall##D, bnodes) K(bc_wall_jacobian##D, bnodes)                                            \
  K(lusgs_sweep##D, rows)                                                                         \
  K(wall_groups##D, groups) K(wall_distance##D, nodes)                                            \
  K(layer_curves##D, layers) K(layer_spread##D, layers) K(layer_shares##D, layers)                \
  K(gas_viscosity##D, nodes) K(viscous_compact##D, edges)                                         \
  K(wall_move##D, bnodes) K(wall_stick##D, bnodes) K(bc_no_slip##D, bnodes)                       \
  K(bc_no_slip_jacobian##D, bnodes) K(newton_no_slip##D, bnodes)                                  \
  K(wall_reaction##D, groups) K(mode_reaction##D, groups)                                         \
  K(eddy_gradient##D, nodes) K(eddy_rows##D, nodes) K(eddy_through##D, bnodes)                    \
  K(eddy_residual##D, nodes) K(eddy_pace##D, nodes) K(eddy_through_residual##D, bnodes)
/* clang-format on */
