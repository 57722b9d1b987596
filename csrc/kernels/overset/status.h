/* status.h - who solves where parts lie over one another (docs/overset.md), anew for each pose.  [chord]
 * A place is a node of a mesh in the frame of its part, shared by all members that have the mesh; node i of
 * member m is place i - shift[m].  A slot is a node and another part of its member.  A grid is a part of a
 * mesh.
 * mark of a node: 0 held by another part, or too near to its part's overset boundary; 1 field; 1 + k field or
 * receptor as pass k found it; negative without fluid.                                           */

#define NO_LAYER (1 << 20) /* of nodes of a part without an overset boundary */
/* Codes that stand in place of a cell of another part. */
enum overset_cell {
  OVERSET_NONE   = -1,
  OVERSET_WITHIN = -2, /* the walls */
};
enum overset_mark {
  MARK_BODY    = -2, /* within walls */
  MARK_OUTSIDE = -3, /* in no cell of the background */
};
/* What a member fails by, the first of these first (python/kinemesh/overset/faults.py). */
enum overset_fault {
  OVERSET_WALLS   = 1, /* node of a wall within the walls of another part */
  OVERSET_OUTSIDE = 2, /* node that is needed beyond the background */
  OVERSET_BODY    = 3, /* node that is needed within the walls of another part */
  OVERSET_ORPHAN  = 4, /* receptor without a donor */
  OVERSET_FREED   = 5, /* field node that had no fluid at the last step */
};

/* Cells of the parts, in space their tetrahedra. */
#define OVERSET_CELLS(F) F(in, i32, corners, "cells,4>places?")

/* Rank at a place in a cell, of those of its corners. */
HD f64 overset_mean(const f64 *rank, const i32 *corners, const f64 *w)
{
  f64 sum = 0;
  for (i32 k = 0; k < 4 && corners[k] >= 0; k++) sum += rounded_product(w[k], rank[corners[k]]);
  return sum;
}

/* mark before any pass, and where another body's region holds the node: the nearest wall owns.  A background
 * with walls holds a node's region where its walls are less than twice as far as the node's own.  */
#define OVERSET_OWN(F)                                                            \
  F(in, i32, member, "nodes>members")                                             \
  F(in, i32, alive, "members")                                                    \
  F(in, i32, shift, "members")                                                    \
  F(in, i32, slots, "nodes+1>>slots")                                             \
  F(in, i32, part, "slots>parts")                                                 \
  F(in, i32, cell, "slots>cells?")                                                \
  F(in, f64, near, "slots")                                                       \
  OVERSET_CELLS(F)                                                                \
  F(in, i32, grid, "parts>grids")                                                 \
  F(in, i32, kind, "grids,2") /* whether it has walls, and an overset boundary */ \
  F(near, i32, layer, "places")                                                   \
  F(in, f64, rank, "places")                                                      \
  F(val, i32, fringe, "")                                                         \
  F(rw, i32, mark, "nodes")                                                       \
  F(rw, i32, other, "nodes")
KERNEL(overset_own, OVERSET_OWN, indirect)
{
  const i32 m = member[i];
  if (!alive[m]) return;
  const i32 here   = i - shift[m];
  i32       within = layer[here] >= NO_LAYER, body = 0, held = 0, region = 0;
  for (i32 e = slots[i]; e < slots[i + 1]; e++) {
    const i32 g = grid[part[e]], c = cell[e], walled = kind[2 * g], outer = kind[2 * g + 1];
    if (c == OVERSET_WITHIN) body = region = 1;
    if (c < 0) continue;
    i32 inner = 1;
    for (i32 k = 0; k < 4 && corners[4 * c + k] >= 0; k++) inner &= layer[corners[4 * c + k]] >= fringe;
    within |= !outer;
    held |= inner && near[e] < rank[here] * (1 - 1e-9);
    region |= walled && (outer || near[e] < 2 * rank[here]);
  }
  mark[i]  = body ? MARK_BODY : !within ? MARK_OUTSIDE : !held && layer[here] >= fringe;
  other[i] = region;
}

/* Nodes that share a cell, which may be the node itself, and the least layer of those that a pass takes. */
#define OVERSET_GRAPH(F)                   \
  F(in, i32, member, "nodes>members")      \
  F(in, i32, alive, "members")             \
  F(in, i32, shift, "members")             \
  F(in, i32, offsets, "places+1>>entries") \
  F(in, i32, neighbour, "entries>places")

/* Whether a neighbour of a place has a mark from 1 to `most`. */
HD i32 overset_beside(i32 here, i32 shift, const i32 *offsets, const i32 *neighbour, const i32 *mark, i32 most)
{
  for (i32 e = offsets[here]; e < offsets[here + 1]; e++) {
    const i32 there = mark[neighbour[e] + shift];
    if (there > 0 && there <= most) return 1;
  }
  return 0;
}

/* One layer more, of field nodes or receptors: what another thread writes here is above `turn`. */
#define OVERSET_GROW(F)       \
  OVERSET_GRAPH(F)            \
  F(in, i32, layer, "places") \
  F(val, i32, least, "")      \
  F(val, i32, turn, "")       \
  F(upd, i32, mark, "nodes")
KERNEL(overset_grow, OVERSET_GROW, indirect)
{
  if (mark[i] != 0) return;
  const i32 m = member[i], here = i - shift[m];
  if (!alive[m] || layer[here] < least) return;
  if (overset_beside(here, shift[m], offsets, neighbour, mark, turn)) mark[i] = turn + 1;
}

/* Status by a node's mark. */
HD i32 overset_status(i32 mark, i32 overlap)
{
  return mark < 0 ? SOLID : mark == 0 ? COVERED : mark <= 1 + overlap ? FIELD : RECEPTOR;
}

/* 2 where all corners of a cell are field, 1 where some are receptors, 0 else. */
HD i32 overset_worth(const i32 *corners, i32 c, i32 shift, const i32 *mark, i32 overlap)
{
  i32 worth = 2;
  for (i32 k = 0; k < 4 && corners[4 * c + k] >= 0; k++) {
    const i32 at = overset_status(mark[corners[4 * c + k] + shift], overlap), here = at == FIELD ? 2 : at == RECEPTOR;
    worth = here < worth ? here : worth;
  }
  return worth;
}

/* Receptors of each member, those with a donor that has receptors among its corners, and those without. */
#define OVERSET_COUNT(F)             \
  F(near, i32, status, "nodes")      \
  F(in, i32, donor, "nodes,4>nodes") \
  F(in, i32, alive, "members")       \
  TOTALS(F, "nodes")                 \
  F(upd, f64, parts, "groups,3")     \
  F(rw, f64, counts, "members,3")
TOTAL(overset_count, OVERSET_COUNT, sum, 3, alive[m])
{
  if (status[i] != RECEPTOR) return;
  i32 worth = 2;
  for (i32 k = 0; k < 4; k++) {
    const i32 at = donor[4 * i + k], here = status[at] == FIELD ? 2 : status[at] == RECEPTOR && at != i;
    worth = here < worth ? here : worth;
  }
  s[0] += 1;
  s[1] += worth == 1;
  s[2] += worth == 0;
}
OF_MEMBER(overset_count, OVERSET_COUNT)
{
  for (i32 k = 0; k < 3; k++) counts[3 * m + k] = s[k];
}
