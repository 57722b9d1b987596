/* find.h - the lowest cell of another part in the plane that holds a node (docs/overset.md).  Behind the cells of a part
 * are triangles within its walls. */

#define OVERSET_FIND_PLANE(F)                               \
  OVERSET_FIND(F)                                           \
  F(in, i32, solid, "grids") /* first of these triangles */ \
  F(in, i32, listed, "listings>cells")
KERNEL(overset_find, OVERSET_FIND_PLANE, indirect)
{
  const i32 j = node[i], g = grid[part[i]];
  if (!alive[member[j]]) return;
  const struct vec2 p     = overset_frame(pose + 6 * part[i], x, j);
  const f64         at[2] = {p.x, p.y};
  i32               list[2], found = OVERSET_NONE;
  if (overset_list(at, box + 4 * g, across + 2 * g, bins + 2 * begin[2 * g], list)) {
    list[0] += begin[2 * g + 1];
    found = overset_first(frame, corners, listed, list, p);
  }
  cell[i] = found < solid[g] ? found : OVERSET_WITHIN;
  if (cell[i] < 0) return;
  f64 w[4];
  overset_weigh(frame, corners, found, p, w);
  near[i] = overset_mean(rank, corners + 4 * found, w);
}
