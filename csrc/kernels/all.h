/* all.h - every kernel, and the set it loops over.  Add a kernel: its header and a K() here. */
#include "core/kernel.h"
#include "physics/fault.h"
#include "physics/number.h"
#include "physics/vec2.h"
#include "physics/limiter.h"
#include "physics/springs.h"
#include "shared/load.h"
#include "shared/copy.h"
#include "shared/gather.h"
#define PAIR 2 /* lanes of a team: more pay on irregular clouds in space alone */
#define DIM 2
#include "dimension.h"
#include "flow/vortex.h"
#include "mesh/metrics.h"
#include "mesh/cells.h"
#include "mesh/quality.h"
#include "mesh/gradient.h"
#include "mesh/flux.h"
#include "mesh/boundary.h"
#include "mesh/jacobian.h"
#include "mesh/lusgs.h"
#include "motion/graph.h"
#include "motion/springs.h"
#include "cloud/gradient_plane.h"
#include "cloud/lusgs_plane.h"
#undef DIM
#define DIM 3
#include "dimension.h"
#include "cloud/symmetry.h"
#include "cloud/lusgs_space.h"
#undef DIM
#include "linear/colouring.h"
#include "linear/start.h"
#define B 2
#include "linear/blocks.h"
#define B 4
#include "linear/blocks.h"
#define B 5
#include "linear/blocks.h"
#include "linear/cg.h"

/* K: one thread per item; S: reductions and totals; T: the lanes of a team; L2 to L5: lanes of a block
 * of that size.                                                                                */
#define KERNEL_LIST(K, S, T, L2, L3, L4, L5)                                                      \
  K(copy_f64, items) L2(copy_f64_2, items) L3(copy_f64_3, items) L4(copy_real4, items)            \
  L5(copy_real5, items) L2(copy_marked, items) K(narrow_1, items) L2(narrow_2, items)             \
  S(gather_sum_4, groups) S(gather_max_2, groups)                                                 \
  K(dual_normals, edges) K(dual_sweeps, edges) K(dual_volumes, nodes)                             \
  K(boundary_normals, bnodes) K(boundary_sweeps, bnodes) K(face_rates, faces)                     \
  K(face_normals, faces) K(face_sweeps, faces) K(cell_volumes, cells) S(cell_quality, groups)     \
  K(least_squares, nodes) L2(ale_gradient, nodes) L2(ale_gradient_wang, nodes)                    \
  L2(ale_gradient_venkatakrishnan, nodes)                                                         \
  K(ale_flux_roe, edges) K(ale_flux_hllc, edges) L4(ale_residual, nodes)                          \
  L4(ale_jacobian, rows) T(lusgs_sweep, rows)                                                     \
  K(bc_wall, bnodes) K(bc_wall_jacobian, bnodes) K(bc_farfield, bnodes)                           \
  K(bc_farfield_jacobian, bnodes) K(bc_vortex, members) K(dualtime_start, members)                \
  K(cloud_normals, bnodes) K(cloud_facets_3d, bnodes) K(cloud_mirror_3d, bnodes)                  \
  K(cloud_even_3d, bnodes)                                                                        \
  L2(cloud_gradient, nodes) L2(cloud_gradient_wang, nodes) L5(cloud_gradient_3d, nodes)           \
  T(cloud_gradient_wang_3d, nodes) K(cloud_roughness, nodes) K(cloud_sensor_3d, nodes)            \
  T(cloud_lusgs, rows) T(cloud_shares_3d, rows) K(cloud_drift_3d, rows)                           \
  K(cloud_rows_3d, nodes) T(cloud_lusgs_3d, rows) T(cloud_lusgs_last_3d, rows)                    \
  L2(spring_rows, rows) L2(spring_guess, rows) L2(spring_side, rows) L2(spring_move, rows)        \
  L2(spring_csr, rows)                                                                            \
  K(graph_map, carried) K(graph_folds, elements) S(graph_stretch, groups)                         \
  K(colour_round, nodes) K(krylov_start, members)                                                 \
  K(cg_weigh, rows) L2(cg_begin, rows) S(cg_beta, groups) S(cg_alpha, groups)                     \
  S(cg_check, groups) L2(cg_p, rows) L2(cg_x, rows) S(multigrid_coarsest, rows)                   \
  DIMENSION_LIST(K, S, T, L4, ) DIMENSION_LIST(K, S, T, L5, _3d)                                  \
  BLOCK_LIST(K, S, L2, 2) BLOCK_LIST(K, S, L4, 4) BLOCK_LIST(K, S, L5, 5)                         \
  MULTIGRID_LIST(L2, L4, 2) MULTIGRID_LIST(L4, L4, 4)
#define DIMENSION_LIST(K, S, T, L, D)                                                             \
  K(ale_primitive##D, nodes) S(ale_primitive_range##D, groups) L(ale_past##D, nodes)              \
  K(ale_update##D, rows) S(residual_check##D, groups) S(wall_forces##D, groups)                   \
  K(pose_move##D, moved)                                                                          \
  K(cloud_velocity##D, nodes) K(cloud_least_squares##D, nodes) K(cloud_open##D, bnodes)           \
  L(cloud_smooth##D, nodes) L(cloud_smooth_wang##D, nodes)                                        \
  T(cloud_roe##D, nodes) T(cloud_roe_van_leer##D, nodes) K(cloud_jst##D, nodes)                   \
  K(cloud_step##D, nodes) K(cloud_stage##D, nodes)                                                \
  L(cloud_jacobian##D, rows) K(cloud_wall##D, bnodes) K(cloud_wall_jacobian##D, bnodes)           \
  K(cloud_farfield##D, bnodes) K(cloud_farfield_jacobian##D, bnodes)                              \
  L(narrow_state##D, items) L(widen_state##D, items) K(narrow_fit##D, items)                      \
  K(narrow_vector##D, items)
#define MULTIGRID_LIST(L, L4, B)                                                       \
  L(multigrid_first_##B, rows) L(multigrid_step_##B, rows) L(multigrid_residual_##B, rows) \
  L4(multigrid_restrict_##B, rows) L(multigrid_prolong_##B, rows)
#define BLOCK_LIST(K, S, L, B)                                                         \
  L(block_product_##B, rows) L(block_schur_##B, rows) L(block_scale_##B, rows)         \
  L(block_lower_##B, rows) L(block_upper_##B, rows) L(block_turn_##B, rows)            \
  L(block_diagonal_##B, rows) L(block_sweep_##B, rows)                                 \
  S(krylov_squares_##B, groups) S(krylov_first_##B, groups) S(krylov_alpha_##B, groups) \
  S(krylov_omega_##B, groups) S(krylov_beta_##B, groups)                               \
  L(krylov_begin_##B, rows) L(krylov_s_##B, rows) L(krylov_x_##B, rows)                \
  L(krylov_p_##B, rows)

#ifdef __CUDACC__
#define DEVICE_ROW(k, over) (const void *)P(k##_device),
extern "C" const void *const P(device)[] = {
    KERNEL_LIST(DEVICE_ROW, DEVICE_ROW, DEVICE_ROW, DEVICE_ROW, DEVICE_ROW, DEVICE_ROW, DEVICE_ROW)};
#else
#define HOST_ROW(k, over, lanes, block) \
  {#k, #over, P(k##_fields), P(k##_host), sizeof(P(k##_args)), sizeof(real), lanes, block},
#define ROW_1(k, over) HOST_ROW(k, over, 1, BLOCK)
#define ROW_0(k, over) HOST_ROW(k, over, 0, BLOCK)
#define ROW_TEAM(k, over) HOST_ROW(k, over, PAIR, TEAM_BLOCK)
#define ROW_2(k, over) HOST_ROW(k, over, 2, BLOCK)
#define ROW_3(k, over) HOST_ROW(k, over, 3, BLOCK)
#define ROW_4(k, over) HOST_ROW(k, over, 4, BLOCK)
#define ROW_5(k, over) HOST_ROW(k, over, 5, BLOCK)
const struct kernel P(kernels)[] = {
    KERNEL_LIST(ROW_1, ROW_0, ROW_TEAM, ROW_2, ROW_3, ROW_4, ROW_5){0}};
#endif
