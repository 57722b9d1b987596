/* all.h - every kernel, and the set it loops over.  Add a kernel: its header and a K() here; one that is
 * written once per dimension: both in dimension.h, meshes.h, cells.h or incompressible.h.         */
#include "core/kernel.h"
#include "physics/fault.h"
#include "physics/number.h"
#include "physics/vec2.h"
#include "physics/vec3.h"
#include "physics/limiter.h"
#include "physics/damping.h"
#include "physics/eddies.h"
#include "physics/springs.h"
#include "physics/springs_space.h"
#include "physics/inside.h"
#include "shared/load.h"
#include "physics/tetrahedron.h"
#include "shared/atomic.h"
#include "shared/copy.h"
#include "shared/gather.h"
#include "flow/start.h"
#include "flow/newton_rule.h"
#include "overset/names.h"
#define PAIR 2 /* lanes of a team: more pay on irregular clouds in space alone */
#define DIM 2
#include "dimension.h"
#include "faces.h"
#include "meshes.h"
#include "mesh/eddies_newton.h"
#include "flow/vortex.h"
#include "mesh/metrics.h"
#include "mesh/facets.h"
#include "mesh/cell_rows.h"
#include "incompressible/volumes.h"
#include "incompressible.h"
#include "mesh/cells.h"
#include "cells.h"
#include "limiters.h"
#include "mesh/quality.h"
#include "mesh/extrema.h"
#include "motion/graph.h"
#include "motion/springs.h"
#include "cloud/normals_plane.h"
#include "cloud/jst_plane.h"
#include "cloud/lusgs_plane.h"
#include "cloud/pairs.h"
#include "overset/lists.h"
#include "overset/search.h"
#include "overset/bins.h"
#include "overset/status.h"
#include "overset/donors.h"
#include "overset/find.h"
#include "overset/rows.h"
#include "overset/exchange.h"
#undef DIM
#define DIM 3
#include "dimension.h"
#include "faces.h"
#include "meshes.h"
#include "mesh/kinds.h"
#include "mesh/metrics_space.h"
#include "mesh/quality_space.h"
#include "mesh/facets_space.h"
#include "incompressible.h"
#include "mesh/reach.h"
#include "mesh/cells_space.h"
#include "cells.h"
#include "limiters.h"
#include "mesh/symmetry.h"
#include "motion/springs_space.h"
#include "motion/carrier.h"
#include "overset/lists.h"
#include "overset/search_space.h"
#include "overset/bins_space.h"
#include "overset/donors.h"
#include "overset/find_space.h"
#include "overset/exchange.h"
#include "cloud/normals_space.h"
#include "cloud/jst_space.h"
#include "cloud/symmetry.h"
#include "cloud/record.h"
#include "cloud/lusgs_space.h"
#undef DIM
#include "linear/colouring.h"
#include "linear/start.h"
#include "linear/spread.h"
#include "linear/sizes.h"
#include "linear/guess.h"
#include "linear/outer.h"
#include "linear/renew.h"
#include "linear/composite.h"
#include "linear/levels.h"
#include "linear/rim_row.h"
#include "linear/rims.h"
#include "linear/rim_products.h"

#define KERNEL_LIST(K)                                                                            \
  K(copy_f64, items) K(copy_f64_2, items) K(copy_f64_3, items)                                   \
  K(narrow_1, items) K(narrow_2, items) K(narrow_row, items) K(widen_row, items)               \
  K(gather_sum_1, groups) K(gather_sum_4, groups) K(gather_sum_6, groups) K(gather_max_2, groups) \
  K(gather_counts, groups) K(dual_normals, edges) K(dual_sweeps, edges) K(dual_volumes, nodes)    \
  K(cell_row_counts, nodes) K(cell_row_columns, nodes) K(cell_row_sums, nodes)                    \
  K(boundary_normals, bnodes) K(boundary_sweeps, bnodes) K(face_rates, faces)                     \
  K(face_normals, faces) K(face_sweeps, faces) K(face_middles, faces) K(cell_volumes, nodes)      \
  K(vertex_weights, vertices) K(cell_quality, groups) K(bc_vortex, members) \
  K(newton_choose, members) K(newton_mask, members) K(newton_length, members)                       \
  K(newton_follow, members) K(newton_rms, groups) K(gmres_shares, members)   \
  K(dualtime_start, members)                                                \
  K(eddy_check, groups) K(eddy_update, rows) K(eddy_keep, nodes) K(eddy_begin, nodes) K(eddy_side, nodes) \
  K(eddy_give, rows) K(eddy_get, rows) K(eddy_move, nodes) K(eddy_product, nodes) K(eddy_bound, nodes) \
  K(extrema_start, nodes) K(extrema_by_faces, edges) K(extrema_by_cells, nodes)                   \
  K(derivative_start, nodes) K(derivative_by_points, nodes) K(derivative_by_pairs, lists)         \
  K(cloud_normals, bnodes) K(cloud_facets_3d, bnodes) K(mirror_fit_3d, bnodes)                  \
  K(even_gradient_3d, bnodes)                                                                        \
  K(cloud_roughness, nodes) K(cloud_sensor_3d, nodes)            \
  K(cloud_lusgs, rows) K(cloud_shares_3d, rows) K(cloud_drift_3d, rows)                           \
  K(cloud_rows_3d, nodes) K(cloud_lusgs_3d, rows) K(cloud_lusgs_last_3d, rows)                    \
  K(spring_rows, rows) K(spring_edges_3d, batches) K(spring_rows_3d, rows) \
  K(graph_map, carried) K(graph_folds, elements) K(graph_stretch, groups)                         \
  K(carrier_gaps, walls) K(carrier_turns, walls) K(carrier_map, carried) K(carrier_find, points) K(carrier_nearest, points) \
  K(overset_search, points) K(overset_weights, points) K(overset_corners, cells)                  \
  K(overset_met, entries) K(overset_bins, entries) K(overset_part, parts)                         \
  K(overset_search_3d, points) K(overset_weights_3d, points)                                      \
  K(overset_met_3d, visits) K(overset_bins_3d, visits)                                          \
  K(overset_find, slots) K(overset_own, nodes) K(overset_grow, nodes) K(overset_give, nodes)        \
  K(overset_find_3d, slots) K(overset_give_3d, nodes) K(overset_count, groups)                                                                        \
  K(overset_rows, nodes) K(overset_leak, groups) K(overset_level, groups)                         \
  K(exchange_vector, nodes) K(exchange_pressure, nodes) K(exchange_take_vector, nodes)            \
  K(exchange_vector_3d, nodes) K(exchange_pressure_3d, nodes) K(exchange_take_vector_3d, nodes) \
  K(exchange_take_pressure, nodes)                                                                \
  K(colour_round, nodes) K(krylov_start, members)                                                 \
  K(guess_share, groups) K(guess_take, rows) K(guess_add, rows)                                   \
  K(composite_side, rows) K(composite_product, rows) K(composite_lack, groups)                                              \
  K(composite_narrow, rows) K(composite_widen, rows) K(composite_level, groups)                   \
  K(level_first, rows)                                                                            \
  K(rim_finest, rows) K(rim_near, rows) K(rim_coarser, rows) K(rim_count, groups)                 \
  K(rim_place, groups) K(rim_entries, renewed) K(rim_transfer, renewed) K(rim_products, renewed)  \
  K(rim_long, renewed)                                                                            \
  K(rim_dense, dense_entries) K(rim_inverse, dense_entries) K(krylov_renew, members)              \
  K(krylov_turn, rows) K(krylov_half, groups) K(krylov_rest, rows)                       \
  K(inc_flow_levels, edges) K(inc_extrapolate_flow, edges) K(inc_fading, nodes)                   \
  K(inc_divergence, nodes) K(inc_defect, groups) K(inc_pressure_side, nodes)                      \
  K(inc_mean_pressure, groups) K(inc_level_pressure, nodes) K(inc_share, groups)                                            \
  K(inc_pace, nodes) K(inc_graded, nodes) K(inc_steady_change, nodes) K(inc_raise_pressure, nodes)                     \
  DIMENSION_LIST(K, ) FACES_LIST(K, ) MESH_LIST(K, )                                              \
  CELLS_LIST(K, ) INCOMPRESSIBLE_LIST(K, )                                                        \
  DIMENSION_LIST(K, _3d) FACES_LIST(K, _3d) MESH_LIST(K, _3d)                                    \
  K(dual_normals_3d, edges) K(dual_sweeps_3d, edges) K(dual_volumes_3d, nodes)                    \
  K(boundary_normals_3d, bnodes) K(boundary_sweeps_3d, bnodes) K(cell_quality_3d, groups)   \
  K(bc_symmetry_3d, bnodes) K(bc_symmetry_jacobian_3d, bnodes) K(newton_symmetry_3d, bnodes) \
  K(fit_blunt_3d, nodes) K(layer_blunt_3d, layers) \
  CELLS_LIST(K, _3d) INCOMPRESSIBLE_LIST(K, _3d) K(inc_mirror_3d, bnodes)                         \
  K(face_normals_3d, faces) K(face_sweeps_3d, faces) K(face_middles_3d, faces)                    \
  K(cell_volumes_3d, nodes) K(corner_normals_3d, nodes) K(vertex_weights_3d, vertices)
/* Of blocks of size B (linear/sizes.h). */
#define BLOCK_LIST(K, B) BLOCK_LIST_(K, B)
#define BLOCK_LIST_(K, B)                                                                         \
  K(block_product_##B, rows) K(block_schur_##B, rows) K(block_scale_##B, rows)                    \
  K(block_lower_##B, rows) K(block_upper_##B, rows) K(block_turn_##B, rows)                       \
  K(block_diagonal_##B, rows) K(block_sweep_##B, rows)                                            \
  K(krylov_squares_##B, groups) K(krylov_first_##B, groups) K(krylov_alpha_##B, groups)           \
  K(krylov_omega_##B, groups) K(krylov_beta_##B, groups)                                          \
  K(krylov_begin_##B, rows) K(krylov_s_##B, rows) K(krylov_x_##B, rows) K(krylov_p_##B, rows)
#define MARCH_LIST(K, B) MARCH_LIST_(K, B)
#define MARCH_LIST_(K, B)                                                                         \
  K(aggregate_blocks_##B, sums) K(aggregate_side_##B, wholes) K(aggregate_spread_##B, rows)       \
  K(line_factor_##B, lines) K(line_solve_##B, lines) K(line_left_##B, rows) K(line_add_##B, rows)
#define GMRES_LIST(K, B) GMRES_LIST_(K, B)
#define GMRES_LIST_(K, B)                                                                         \
  K(gmres_first_##B, groups) K(gmres_scale_##B, rows) K(gmres_keep_##B, rows)                     \
  K(gmres_dots_##B, groups) K(gmres_take_##B, rows) K(gmres_turn_##B, groups) K(gmres_sum_##B, rows)
#define CG_LIST(K, B) CG_LIST_(K, B)
#define CG_LIST_(K, B)                                                                            \
  K(cg_weigh_##B, rows) K(cg_begin_##B, rows) K(cg_beta_##B, groups) K(cg_alpha_##B, groups)      \
  K(cg_check_##B, groups) K(cg_p_##B, rows) K(cg_x_##B, rows)
#define MULTIGRID_LIST(K, B) MULTIGRID_LIST_(K, B)
#define MULTIGRID_LIST_(K, B)                                                                     \
  K(multigrid_first_##B, rows) K(multigrid_step_##B, rows) K(multigrid_residual_##B, rows)        \
  K(multigrid_restrict_##B, rows) K(multigrid_prolong_##B, rows)
/* Of W lanes that share a row (linear/levels.h). */
#define LEVEL_LIST(K, W) LEVEL_LIST_(K, W)
#define LEVEL_LIST_(K, W)                                                                         \
  K(level_step_##W, rows) K(level_residual_##W, rows) K(level_restrict_##W, rows)                 \
  K(level_prolong_##W, rows)
#define WIDE_LIST(K, B) WIDE_LIST_(K, B)
#define WIDE_LIST_(K, B)                                                                          \
  K(block_lower_1x##B, rows) K(block_upper_1x##B, rows) K(block_turn_1x##B, rows)

/* A row of the table per kernel, then those of every block size, number of lanes, and variant. */
#define LISTED(k, over) TABLE_ROW(k, over)
#ifdef __CUDACC__
#define TABLE_ROW(k, over) (const void *)P(k##_device),
extern "C" const void *const P(device)[] = {
#else
#define TABLE_ROW(k, over)                                                                 \
  {#k, #over, P(k##_fields), P(k##_host), sizeof(P(k##_args)), sizeof(real), P(k##_lanes), \
   P(k##_block)},
const struct kernel P(kernels)[] = {
#endif
    KERNEL_LIST(LISTED)
#include "linear/sizes.h"
#include "linear/levels.h"
#define DIM 2
#include "variants.h"
#undef DIM
#define DIM 3
#include "variants.h"
#undef DIM
#ifndef __CUDACC__
    {0}
#endif
};
