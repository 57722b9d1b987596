/* meshes_plane.h - kernels on meshes that are written once per dimension, as those of meshes.h, and have no
 * caller in space: viscous flow.                                                                 */
#include "mesh/viscous.h"
#include "mesh/no_slip.h"
#include "mesh/eddies.h"
#include "mesh/eddies_newton.h"

/* The kernels of these headers and their sets. */
/* clang-format off */
#define PLANE_MESH_LIST(K, D)                                                                     \
  K(gas_viscosity##D, nodes) K(viscous_compact##D, edges)                 \
  K(wall_move##D, bnodes) K(wall_stick##D, bnodes) K(bc_no_slip##D, bnodes)                       \
  K(bc_no_slip_jacobian##D, bnodes) K(wall_reaction##D, groups)                                  \
  K(mode_reaction##D, groups)                                                                    \
  K(eddy_gradient##D, nodes) K(eddy_rows##D, nodes) K(eddy_through##D, bnodes)                     \
  K(eddy_residual##D, nodes) K(eddy_pace##D, nodes) K(eddy_through_residual##D, bnodes)           \
  K(newton_no_slip##D, bnodes)
/* clang-format on */
