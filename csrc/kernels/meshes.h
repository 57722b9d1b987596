/* meshes.h - kernels on meshes that know neither the shape of cells nor how many dimensions there are, once
 * per dimension as those of dimension.h: in space with area vectors, swept and dual volumes of its own
 * (in the plane mesh/metrics.h, cells.h).                                                         */
#include "mesh/gradient.h"
#include "mesh/flux.h"
#include "mesh/loops.h"
#include "mesh/boundary.h"
#include "mesh/jacobian.h"
#include "mesh/lusgs.h"

/* The kernels of these headers and their sets. */
/* clang-format off */
#define MESH_LIST(K, D)                                                                           \
  K(least_squares##D, nodes) K(ale_gradient##D, nodes) K(ale_gradient_wang##D, nodes)             \
  K(ale_gradient_venkatakrishnan##D, nodes) K(ale_flux_roe##D, edges) K(ale_flux_hllc##D, edges)  \
  K(ale_residual##D, nodes) K(ale_residual_start##D, nodes) K(ale_loop_recompute##D, nodes)       \
  K(ale_loop_colours##D, edges) K(ale_loop_atomics##D, edges)                                     \
  K(ale_jacobian##D, rows) K(lusgs_sweep##D, rows)                      \
  K(bc_wall##D, bnodes) K(bc_wall_jacobian##D, bnodes) K(bc_farfield##D, bnodes)                  \
  K(bc_farfield_jacobian##D, bnodes) K(bc_outlet##D, bnodes) K(bc_outlet_jacobian##D, bnodes)     \
  K(bc_inlet##D, bnodes) K(bc_inlet_jacobian##D, bnodes)
/* clang-format on */
