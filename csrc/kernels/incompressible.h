/* incompressible.h - kernels of incompressible flow, once per dimension with the facets of its cells (in the
 * plane mesh/facets.h). */
#include "physics/incompressible.h"
#include "incompressible/cell.h"
#include "incompressible/momentum.h"
#include "incompressible/step.h"
#include "incompressible/steady.h"
#include "incompressible/reduced_rank.h"
#include "incompressible/boundary.h"

/* The kernels of these headers and their sets. */
/* clang-format off */
#define INCOMPRESSIBLE_LIST(K, D)                                                                 \
  K(inc_cell_velocity##D, cells) K(inc_cell_pressure##D, cells) K(inc_portions##D, nodes)         \
  K(inc_node_velocity##D, nodes) K(inc_node_pressure##D, nodes) \
  K(inc_residual##D, nodes) K(inc_matrix##D, rows) K(inc_planes##D, rows) K(inc_side##D, rows)    \
  K(inc_update##D, rows) K(inc_check##D, groups) K(inc_steady_check##D, groups)                   \
  K(inc_levels##D, nodes) K(inc_extrapolate##D, nodes) K(inc_mean_flow##D, edges)                 \
  K(inc_predict##D, edges) K(inc_steady_predict##D, edges) K(inc_steady_hold##D, edges)           \
  K(inc_drive##D, edges) K(inc_correct##D, nodes) K(inc_mobility##D, cells)                       \
  K(inc_node_drift##D, nodes) K(inc_correct_flow##D, edges) K(inc_give##D, bnodes)                \
  K(inc_pass##D, bnodes) K(inc_through##D, bnodes) K(inc_slip##D, bnodes)                         \
  K(inc_outflow##D, bnodes)                                                                       \
  K(inc_forces##D, groups) K(inc_closure##D, groups) K(inc_spin##D, bnodes)                       \
  K(inc_rank_from##D, nodes) K(inc_rank_keep##D, nodes)                                           \
  K(inc_rank_dots##D, groups) K(inc_rank_shares##D, members) K(inc_rank_take##D, nodes)
/* clang-format on */
