/* colouring.h - a round of parallel greedy colouring (Jones and Plassmann 1993).  A node without a colour
 * waits while a neighbour without one has a higher priority, else takes the smallest colour that no
 * neighbour has.  Reads `before`, writes `after`: the same colours on every device.             */
#define COLOUR_ROUND(F)                                       \
  F(in, i32, offsets, "nodes+1>>entries")                     \
  F(in, i32, neighbour, "entries>nodes")                      \
  F(in, i32, priority, "nodes") /* no two neighbours alike */ \
  F(in, i32, before, "nodes")   /* -1: no colour yet */       \
  F(out, i32, after, "nodes")
KERNEL(colour_round, COLOUR_ROUND, indirect)
{
  u64 taken = 0;
  after[i]  = before[i];
  if (before[i] >= 0) return;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32 j = neighbour[e];
    if (before[j] < 0 && priority[j] > priority[i]) return;
    if (before[j] >= 0 && before[j] < 64) taken |= (u64)1 << before[j];
  }
  i32 c = 0;
  while (c < 63 && (taken >> c & 1)) c++;
  after[i] = c;
}
