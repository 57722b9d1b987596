/* faces.h - kernels as those of meshes.h for what passes between volumes, in space too: the bench measures them
 * there (docs/loops.md).                                                                          */
#include "mesh/flux.h"
#include "mesh/fluxes.h"
#include "mesh/loops.h"
#include "mesh/procedures.h"

/* The kernels of these headers and their sets. */
/* clang-format off */
#define FACES_LIST(K, D)                                                                          \
  K(ale_residual##D, nodes) K(ale_residual_start##D, nodes) K(ale_loop_recompute##D, nodes)       \
  K(ale_loop_colours##D, edges) K(ale_loop_atomics##D, edges)                                     \
  K(state_clear##D, items) K(slope_clear##D, items) K(values_by_faces##D, faces)                  \
  K(values_by_cells##D, nodes) K(values_by_vertices##D, vertices) K(slopes_by_faces##D, faces)    \
  K(slopes_by_vertices##D, vertices) K(slopes_by_cells##D, nodes) K(face_means##D, faces)         \
  K(slopes_by_means##D, nodes) K(fluxes_by_faces##D, edges)
/* clang-format on */
