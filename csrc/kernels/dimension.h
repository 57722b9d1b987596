/* dimension.h - physics and kernels of one dimension, DIM: N(name) is name in the plane, name_3d in space. */
#include "numbers.h"
#include "physics/vector.h"
#include "physics/gas.h"
#include "physics/riemann.h"
#include "physics/fit.h"
#include "physics/farfield.h"
#include "physics/wall.h"
#include "physics/viscous.h"
#include "shared/point.h"
#include "shared/narrow.h"
#include "motion/pose.h"
#include "motion/modes.h"
#include "motion/settle.h"
#include "flow/state.h"
#include "flow/update.h"
#include "flow/dualtime.h"
#include "flow/newton.h"
#include "flow/forces.h"
#include "cloud/residual.h"
#include "cloud/points.h"
#include "mesh/gradient.h"
#include "cloud/gradient.h"
#include "cloud/roe.h"
#include "cloud/boundary.h"
#include "cloud/stage.h"
#include "cloud/jacobian.h"
#include "cloud/lusgs.h"

/* The kernels of these headers and their sets. */
/* clang-format off */
#define DIMENSION_LIST(K, D)                                                                      \
  K(state_primitive##D, nodes) K(state_primitive_range##D, groups) K(state_past##D, nodes)        \
  K(state_keep##D, nodes) K(state_update##D, rows) K(state_predict##D, nodes) K(residual_base##D, groups)                 \
  K(residual_check##D, groups) K(wall_forces##D, groups) K(pose_move##D, moved)                   \
  K(mode_bend##D, moved) K(mode_forces##D, groups) K(copy_marked##D, items)                       \
  K(spring_guess##D, rows) K(spring_side##D, rows) K(spring_choose##D, rows) K(spring_move##D, rows) \
  K(spring_csr##D, rows) K(spring_narrow##D, blocks) K(spring_copy##D, blocks)                                                                          \
  K(cloud_velocity##D, nodes) K(cloud_least_squares##D, nodes) K(cloud_terms##D, groups) K(cloud_open##D, bnodes)           \
  K(least_squares##D, nodes) K(ale_gradient##D, nodes) K(viscous_gradient##D, nodes)               \
  K(whole_gradient##D, nodes)                                                                     \
  K(cloud_gradient##D, nodes) K(cloud_smooth##D, nodes)                                           \
  K(cloud_roe##D, nodes) K(cloud_roe_van_leer##D, nodes) K(cloud_jst##D, nodes)                   \
  K(cloud_step##D, nodes) K(cloud_stage##D, nodes) K(cloud_jacobian##D, rows)                     \
  K(cloud_wall##D, bnodes) K(cloud_wall_jacobian##D, bnodes)                                      \
  K(cloud_farfield##D, bnodes) K(cloud_farfield_jacobian##D, bnodes)                              \
  K(newton_keep##D, nodes) K(newton_norms##D, groups) K(newton_most##D, groups)                   \
  K(newton_side##D, nodes) K(newton_give##D, rows) K(newton_get##D, rows) K(newton_move##D, nodes) \
  K(newton_product##D, nodes) K(newton_search##D, groups) K(newton_bound##D, nodes)               \
  K(copy_state##D, items) K(take_state##D, items) K(narrow_state##D, items)                       \
  K(widen_state##D, items)                                                                        \
  K(narrow_fit##D, items) K(narrow_vector##D, items)
/* clang-format on */
