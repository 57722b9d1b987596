/* colouring.h - a round of parallel greedy colouring (Jones and Plassmann 1993).  A node without a colour
 * waits while a neighbour without one has a higher priority, else takes the smallest colour that no
 * neighbour has.  Reads `before`, writes `after`: the same colours on every device.             */

/* The smallest colour that no neighbour of node i has, looked for among 64 at a time. */
HD i32 colour_free(i32 i, const i32 *offsets, const i32 *neighbour, const i32 *before)
{
  for (i32 first = 0;; first += 64) {
    u64 taken = 0;
    for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
      const i32 c = before[neighbour[e]] - first;
      if (c >= 0 && c < 64) taken |= (u64)1 << c;
    }
    for (i32 c = 0; c < 64; c++)
      if (!(taken >> c & 1)) return first + c;
  }
}

#define COLOUR_ROUND(F)                                         \
  F(in, i32, offsets, "nodes+1>>entries")                       \
  F(in, i32, neighbour, "entries>nodes")                        \
  F(near, i32, priority, "nodes") /* no two neighbours alike */ \
  F(near, i32, before, "nodes")   /* -1: no colour yet */       \
  F(out, i32, after, "nodes")
KERNEL(colour_round, COLOUR_ROUND, indirect)
{
  after[i] = before[i];
  if (before[i] >= 0) return;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++)
    if (before[neighbour[e]] < 0 && priority[neighbour[e]] > priority[i]) return;
  after[i] = colour_free(i, offsets, neighbour, before);
}
