/* levels.h - levels of scalar matrices: kernels for each number of lanes that share a row (scalar.h), or where
 * LISTED their rows of the table, and what no lanes share. */
#ifndef LISTED
#ifdef __CUDACC__
#define SHARES 8 /* partial sums of a row; more of them hold up a host, which has no lanes */
#else
#define SHARES 1
#endif
#define LEVEL_FIRST(F)               \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(opt, real, keep, "rows")         \
  F(in, real, b, "rows,1")           \
  F(val, real, c2, "")               \
  F(out, real, r, "rows,1")          \
  F(out, real, d, "rows,1")          \
  F(out, real, x, "rows,1")

/* From x = 0: r = b, x = d = r / theta. */
KERNEL(level_first, LEVEL_FIRST, indirect)
{
  if (!live[member[i]]) return;
  const real kept = keep ? keep[i] : 1;
  r[i]            = kept > 0 ? b[i] : 0;
  d[i] = x[i] = c2 * kept * r[i];
}
#endif
#define W 1
#include "scalar.h"
#define W 2
#include "scalar.h"
#define W 4
#include "scalar.h"
#define W 8
#include "scalar.h"
