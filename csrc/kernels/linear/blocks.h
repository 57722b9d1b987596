/* blocks.h - everything on blocks of size B, as K(name) is name with that number: block_product_4.
 * Matrices, vectors and residuals have the units of those who ask for a solution.
 * Levels of multigrid have blocks of 2, the finest, whose matrix is that of the springs, and of 4; those of
 * a scalar matrix, such as that of a pressure, have kernels of their own (levels.h).               */
#define BB      TIMES(B, B)     /* entries of a block */
#define BC      TIMES(B, BELOW) /* entries of a block between levels, where coarse ones are of BELOW */
#define K(name) CAT(name, B)
#define BELOW   4
#if B == 2
#define WIDE            /* vectors of B under a scalar matrix */
#define MULTIGRID_B f64 /* the finest right-hand side is a residual of conjugate gradients */
#elif B == 4
#define MULTIGRID_B real
#endif
#ifdef LISTED
BLOCK_LIST(LISTED, B)
#ifdef MULTIGRID_B
MULTIGRID_LIST(LISTED, B)
#endif
#ifdef WIDE
WIDE_LIST(LISTED, B)
#endif
#else
#include "block.h"
#include "triangles.h"
#include "lines.h"
#include "aggregates.h"
#include "krylov.h"
#include "gmres.h"
#ifdef MULTIGRID_B
#include "multigrid.h"
#endif
#ifdef WIDE
#include "wide.h"
#endif
#endif
#undef BB
#undef BC
#undef BELOW
#undef MULTIGRID_B
#undef WIDE
#undef K
#undef B
