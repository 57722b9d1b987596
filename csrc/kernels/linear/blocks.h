/* blocks.h - everything on blocks of size B, as K(name) is name with that number: block_product_4.
 * Matrices, vectors and residuals have the units of those who ask for a solution.
 * Levels of multigrid have blocks of 2, the finest, whose matrix is that of the springs, and of 4.  */
#define BB      TIMES(B, B) /* entries of a block */
#define B4      TIMES(B, 4) /* entries of a block between levels, where coarse ones are of 4 */
#define K(name) CAT(name, B)
#if B == 2
#define MULTIGRID_B f64 /* the finest right-hand side is a residual of conjugate gradients */
#elif B == 4
#define MULTIGRID_B real
#endif
#ifdef LISTED
BLOCK_LIST(LISTED, B)
#ifdef MULTIGRID_B
MULTIGRID_LIST(LISTED, B)
#endif
#else
#include "block.h"
#include "krylov.h"
#ifdef MULTIGRID_B
#include "multigrid.h"
#endif
#endif
#undef BB
#undef B4
#undef MULTIGRID_B
#undef K
#undef B
