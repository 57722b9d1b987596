/* blocks.h - everything on blocks of size B, as K(name) is name with that number: block_product_4.
 * Matrices, vectors and residuals have the units of those who ask for a solution.               */
#define SQUARE_2 4
#define SQUARE_4 16
#define SQUARE_5 25
#define BB       CAT(SQUARE_, B) /* entries of a block */
#define K(name)  CAT(name, B)
#include "block.h"
#include "krylov.h"
#if B == 2
#define B4             8    /* entries of a block between levels of multigrid, where coarse ones are of 4 */
#define MULTIGRID_TYPE real /* of the finest level, whose matrix is that of the springs */
#include "multigrid.h"
#elif B == 4
#define B4             16
#define MULTIGRID_TYPE f32
#include "multigrid.h"
#endif
#undef BB
#undef B4
#undef MULTIGRID_TYPE
#undef K
#undef B
