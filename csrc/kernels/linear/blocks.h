/* blocks.h - everything on blocks of size B, as K(name) is name with that number: block_product_4.
 * Matrices, vectors and residuals have the units of those who ask for a solution.
 * Levels of multigrid have blocks of as many as there are coordinates, the finest, whose matrix is that of the
 * springs, and below of as many as there are motions that springs do not resist: 2 and 4 in the plane, 3 and 7 in
 * space.  Those of a scalar matrix, such as that of a pressure, have kernels of their own (levels.h).  */
#define BB      TIMES(B, B)     /* entries of a block */
#define BC      TIMES(B, BELOW) /* entries of a block between levels, where coarse ones are of BELOW */
#define K(name) CAT(name, B)
#define BELOW   4
#if B == 1
#define MARCHED /* matrices of marches: coarse levels, lines, GMRES */
#define VECTORS /* of GMRES */
#elif B == 2
#define MARCHED
#define VECTORS
#define WIDE            /* vectors of B under a scalar matrix */
#define FINEST          /* a matrix of springs */
#define MULTIGRID_B f64 /* the finest right-hand side is a residual of conjugate gradients */
#elif B == 3
#undef BELOW
#define BELOW 7
#define WIDE
#define FINEST
#define MULTIGRID_B f64
#elif B == 4
#define MARCHED
#define VECTORS
#define MULTIGRID_B real
#elif B == 5
#define MARCHED
#define VECTORS
#elif B == 6 /* of a gas in space and one equation beside */
#define VECTORS
#elif B == 7
#undef BELOW
#define BELOW       7
#define MULTIGRID_B real
#endif
#ifdef LISTED
#if defined(MARCHED) || defined(FINEST)
BLOCK_LIST(LISTED, B)
#endif
#ifdef MARCHED
MARCH_LIST(LISTED, B)
#endif
#ifdef VECTORS
GMRES_LIST(LISTED, B)
#endif
#ifdef FINEST
CG_LIST(LISTED, B)
#endif
#ifdef MULTIGRID_B
MULTIGRID_LIST(LISTED, B)
#endif
#ifdef WIDE
WIDE_LIST(LISTED, B)
#endif
#else
#if defined(MARCHED) || defined(FINEST)
#include "block.h"
#include "triangles.h"
#include "krylov.h"
#endif
#ifdef MARCHED
#include "lines.h"
#include "aggregates.h"
#endif
#ifdef VECTORS
#include "gmres.h"
#endif
#ifdef FINEST
#include "cg.h"
#endif
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
#undef MARCHED
#undef VECTORS
#undef FINEST
#undef MULTIGRID_B
#undef WIDE
#undef K
#undef B
