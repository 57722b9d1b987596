/* wide.h - a scalar matrix under vectors of B, as of a momentum whose components have one matrix: K(name) is
 * name with 1x and B, block_lower_1x2.  Factors are those of blocks of 1, scalars of BiCGSTAB those of
 * vectors of B: one set for all components.                                                        */
#undef BB
#undef K
#define BB      1
#define K(name) CAT(name, CAT(1x, B))

/* y += a x for the lanes' components. */
HD void K(block_apply_)(const real *a, const real *x, i32 lane, real *y)
{
  for (i32 r = 0; r < WIDTH(B); r++) y[r] += *a * x[lane + r];
}

#include "triangles.h"
