/* all.h - every kernel, and the set it loops over.  Add a kernel: its header and a K() here. */
#include "../kernel.h"
#include "../physics/fault.h"
#include "../physics/gas.h"
#include "../physics/geometry.h"
#include "../physics/limiter.h"
#include "../physics/riemann.h"
#include "ale_flux.h"
#include "ale_implicit.h"
#include "ale_state.h"
#include "cg.h"
#include "cloud.h"
#include "colouring.h"
#include "dualtime.h"
#include "krylov.h"
#include "lusgs.h"
#include "metrics.h"
#include "pose.h"
#include "springs.h"
#define B 2
#define BB 4
#define B4 8
#define MULTIGRID_TYPE real
#include "block.h"
#include "multigrid.h"
#undef B
#undef BB
#undef B4
#undef MULTIGRID_TYPE
#define B 4
#define BB 16
#define B4 16
#define MULTIGRID_TYPE f32
#include "block.h"
#include "multigrid.h"
#undef B
#undef BB
#undef B4
#undef MULTIGRID_TYPE

/* K: one thread per item; S: reductions; L2, L4: lanes of a block of that size. */
#define KERNEL_LIST(K, S, L2, L4)                                                      \
  K(dual_normals, edges) K(dual_sweeps, edges) K(boundary_normals, bnodes)             \
  K(boundary_sweeps, bnodes) K(dual_volumes, nodes) K(least_squares, nodes)            \
  S(cell_quality, groups) S(gather_sum_1, groups) S(gather_sum_2, groups)              \
  S(gather_sum_4, groups) S(gather_max_2, groups) S(gather_max_8, groups)              \
  K(ale_primitive, nodes) S(ale_range, groups) L2(ale_gradient, nodes)                  \
  L2(ale_gradient_wang, nodes) L2(ale_gradient_venkatakrishnan, nodes)                   \
  K(ale_flux_roe, edges) K(ale_flux_hllc, edges) L4(ale_residual, nodes)               \
  L4(ale_past, nodes) K(face_rates, faces) K(bc_wall, bnodes) K(bc_farfield, bnodes) K(bc_vortex, members) \
  S(wall_forces, groups) L4(ale_jacobian, rows)     \
  K(bc_wall_jacobian, bnodes) K(bc_farfield_jacobian, bnodes) K(ale_update, rows)      \
  K(lusgs_sweep, rows) K(cloud_velocity, nodes) K(cloud_normals, bnodes) K(cloud_mirror, bnodes) \
  K(cloud_roe, nodes) K(cloud_roe_van_leer, nodes) K(cloud_farfield, bnodes) K(cloud_lusgs, rows) \
  K(cloud_slip, bnodes) K(cloud_roughness, nodes) K(cloud_jst, nodes) K(cloud_step, nodes) \
  K(cloud_stage, nodes)                                                                 \
  S(residual_squares, groups) K(dualtime_check, members) K(dualtime_start, members)    \
  K(copy_f64, items) L2(copy_f64_2, items) L4(copy_real4, items)                       \
  K(narrow_1, items) L2(narrow_2, items) L4(narrow_4, items) L4(widen_4, items)        \
  K(krylov_start, members) K(krylov_first, members) K(krylov_alpha, members)           \
  K(krylov_omega, members) K(krylov_beta, members) L2(spring_rows, rows)                \
  L2(spring_guess, rows) L2(spring_side, rows) L2(spring_move, rows) L2(spring_csr, rows) \
  L2(copy_marked, items) \
  K(pose_move, moved) K(graph_map, carried) K(graph_folds, elements)                   \
  K(colour_round, nodes) K(cg_weigh, rows) S(cg_dots, groups) L2(cg_begin, rows)       \
  K(cg_beta, members) K(cg_alpha, members) K(cg_check, members) L2(cg_p, rows)         \
  L2(cg_x, rows) S(multigrid_coarsest, rows) BLOCK_LIST(K, S, L2, 2) BLOCK_LIST(K, S, L4, 4) \
  MULTIGRID_LIST(L2, L4, 2) MULTIGRID_LIST(L4, L4, 4)
#define MULTIGRID_LIST(L, L4, B)                                                       \
  L(multigrid_first_##B, rows) L(multigrid_step_##B, rows) L(multigrid_residual_##B, rows) \
  L4(multigrid_restrict_##B, rows) L(multigrid_prolong_##B, rows)
#define BLOCK_LIST(K, S, L, B)                                                         \
  L(block_product_##B, rows) L(block_schur_##B, rows) L(block_scale_##B, rows)         \
  L(block_lower_##B, rows) L(block_upper_##B, rows) L(block_turn_##B, rows)            \
  S(block_dots_##B, groups)  \
  L(krylov_begin_##B, rows) L(krylov_s_##B, rows) L(krylov_x_##B, rows)                \
  L(krylov_p_##B, rows)

#ifdef __CUDACC__
#define DEVICE_ROW(k, over) (const void *)P(k##_device),
extern "C" const void *const P(device)[] = {KERNEL_LIST(DEVICE_ROW, DEVICE_ROW, DEVICE_ROW, DEVICE_ROW)};
#else
#define HOST_ROW(k, over, lanes) {#k, #over, P(k##_fields), P(k##_host), sizeof(P(k##_args)), sizeof(real), lanes},
#define ROW_1(k, over) HOST_ROW(k, over, 1)
#define ROW_0(k, over) HOST_ROW(k, over, 0)
#define ROW_2(k, over) HOST_ROW(k, over, 2)
#define ROW_4(k, over) HOST_ROW(k, over, 4)
const struct kernel P(kernels)[] = {KERNEL_LIST(ROW_1, ROW_0, ROW_2, ROW_4){0}};
#endif
