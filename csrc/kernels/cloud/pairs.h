/* pairs.h - a derivative of one quantity at the points of a cloud, by points and by pairs of points, to be measured
 * (docs/loops.md; Zhang et al., listings 4 and 6).  weight: of a satellite in the derivative, own: of the point itself
 * [1/chord].  A list of pairs is one thread's, so that lists share no point.                        */

#define DERIVATIVE_START(F) \
  F(in, real, own, "nodes") \
  F(in, real, p, "nodes")   \
  F(out, real, slope, "nodes")
KERNEL(derivative_start, DERIVATIVE_START, direct)
{
  slope[i] = own[i] * p[i];
}

#define DERIVATIVE_BY_POINTS(F)           \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, weight, "entries")          \
  F(in, real, own, "nodes")               \
  F(near, real, p, "nodes")               \
  F(out, real, slope, "nodes")
KERNEL(derivative_by_points, DERIVATIVE_BY_POINTS, indirect)
{
  real sum = own[i] * p[i];
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) sum += weight[e] * p[neighbour[e]];
  slope[i] = sum;
}

#define DERIVATIVE_BY_PAIRS(F)                                       \
  F(in, i32, first, "lists+1>>edges")                                \
  F(in, i32, lr, "edges,2>nodes")                                    \
  F(in, real, weights, "edges,2") /* of the right point, the left */ \
  F(near, real, p, "nodes")                                          \
  F(inc, real, slope, "nodes")
KERNEL(derivative_by_pairs, DERIVATIVE_BY_PAIRS, heavy)
{
  for (i32 e = first[i]; e < first[i + 1]; e++) {
    const i32 a = lr[2 * e], b = lr[2 * e + 1];
    slope[a] += weights[2 * e] * p[b];
    slope[b] += weights[2 * e + 1] * p[a];
  }
}
