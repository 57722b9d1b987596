/* extrema.h - least and greatest pressure of each cell and those across its faces, by faces and by cells, to be
 * measured (procedures.h); of any dimension.                                                       */

#define EXTREMA_START(F)                      \
  F(in, real, p, "nodes")                     \
  F(out, real, low, "nodes")  /* the least */ \
  F(out, real, high, "nodes") /* the greatest */
KERNEL(extrema_start, EXTREMA_START, direct)
{
  low[i] = high[i] = p[i];
}

#define EXTREMA_BY_FACES(F)       \
  F(in, i32, lr, "edges,2>nodes") \
  F(near, real, p, "nodes")       \
  F(inc, real, low, "nodes")      \
  F(inc, real, high, "nodes")
KERNEL(extrema_by_faces, EXTREMA_BY_FACES, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1];
  keep_least(low + a, p[b]), keep_greatest(high + a, p[b]);
  keep_least(low + b, p[a]), keep_greatest(high + b, p[a]);
}

#define EXTREMA_BY_CELLS(F)               \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(near, real, p, "nodes")               \
  F(out, real, low, "nodes")              \
  F(out, real, high, "nodes")
KERNEL(extrema_by_cells, EXTREMA_BY_CELLS, indirect)
{
  real least = p[i], greatest = p[i];
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const real there = p[neighbour[e]];
    least            = there < least ? there : least;
    greatest         = there > greatest ? there : greatest;
  }
  low[i] = least, high[i] = greatest;
}
