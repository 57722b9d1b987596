/* meshes_plane.h - kernels on meshes that are written once per dimension, as those of meshes.h, and have no
 * caller in space: turbulence.                                                                   */
#include "mesh/eddies.h"
#include "mesh/eddies_newton.h"

/* The kernels of these headers and their sets. */
/* clang-format off */
#define PLANE_MESH_LIST(K, D)                                                                     \
  K(eddy_gradient##D, nodes) K(eddy_rows##D, nodes) K(eddy_through##D, bnodes)                     \
  K(eddy_residual##D, nodes) K(eddy_pace##D, nodes) K(eddy_through_residual##D, bnodes)
/* clang-format on */
