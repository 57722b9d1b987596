/* meshes.h - kernels on meshes that know neither the shape of cells nor how many dimensions there are, once
 * per dimension as those of dimension.h, with area vectors, swept and dual volumes of its own (in the plane
 * mesh/metrics.h, cells.h; in space mesh/metrics_space.h).  Those of the plane alone today: meshes_plane.h. */
#include "mesh/boundary.h"
#include "mesh/conditions.h"
#include "mesh/lusgs.h"
#include "mesh/terms.h"
#include "mesh/distance.h"

/* The kernels of these headers and their sets, but for those of faces.h. */
/* clang-format off */
#define MESH_LIST(K, D)                                                                           \
  K(face_terms##D, groups)                                                                        \
  K(bc_wall##D, bnodes) K(bc_wall_jacobian##D, bnodes)                                            \
  K(lusgs_sweep##D, rows)                                                                         \
  K(wall_groups##D, groups) K(wall_distance##D, nodes)
/* clang-format on */
