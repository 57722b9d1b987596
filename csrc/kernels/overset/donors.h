/* donors.h - nodes in the frames of other parts, and what gives them values (docs/overset.md), once per dimension. */

#define OVERSET_FRAMES(F)            \
  F(in, f64, pose, "parts," STR(NP)) \
  F(near, f64, frame, "places," STR(DIM))

/* A node in the frame of a part: the pose of pose.h undone; at rest to the last bit. */
#if DIM == 2
HD struct vec2 overset_frame(const f64 *pose, const f64 *x, i32 i)
{
  const struct vec2 shift = vec2_of(pose[4], pose[5]), q = minus(point(x, i), shift),
                    d = minus(q, vec2_of(pose[2], pose[3]));
  return vec2_of(q.x + (rounded_product(pose[0], d.x) + rounded_product(pose[1], d.y)),
                 q.y + (rounded_product(pose[0], d.y) - rounded_product(pose[1], d.x)));
}
#else
HD struct vec3 overset_frame_3d(const f64 *pose, const f64 *x, i32 i)
{
  const struct vec3 d = vec3_minus(place_of(x, i), vec3_of(pose[3], pose[7], pose[11]));
  f64               back[3];
  for (i32 k = 0; k < 3; k++)
    back[k] = rounded_product(pose[k], d.x) + rounded_product(pose[4 + k], d.y) + rounded_product(pose[8 + k], d.z);
  return vec3_of(d.x + back[0], d.y + back[1], d.z + back[2]);
}
#endif

/* Fields of the search for the cell of another part that holds a node, and for the rank of its corners there. */
#define OVERSET_FIND(F)                                       \
  F(in, i32, node, "slots>nodes")                             \
  F(in, i32, part, "slots>parts")                             \
  F(in, i32, member, "nodes>members")                         \
  F(in, i32, alive, "members")                                \
  F(in, f64, x, "nodes," STR(DIM))                            \
  OVERSET_CELLS(F)                                            \
  F(in, i32, grid, "parts>grids")                             \
  OVERSET_FRAMES(F)                                           \
  F(in, f64, box, "grids," STR(TIMES(2, DIM)))                \
  F(in, i32, across, "grids," STR(DIM))                       \
  F(in, i32, begin, "grids,2") /* first bin, first listing */ \
  F(in, i32, bins, "bins,2")                                  \
  F(near, f64, rank, "places")                                \
  F(rw, i32, cell, "slots")                                   \
  F(rw, f64, near, "slots")

/* Status, donor and weights; of donors the best, then that of the nearest wall. */
#define OVERSET_GIVE(F)               \
  OVERSET_GRAPH(F)                    \
  F(in, i32, slots, "nodes+1>>slots") \
  F(in, i32, part, "slots>parts")     \
  F(in, i32, cell, "slots>cells?")    \
  F(in, f64, near, "slots")           \
  OVERSET_CELLS(F)                    \
  OVERSET_FRAMES(F)                   \
  F(in, f64, x, "nodes," STR(DIM))    \
  F(in, i32, wall, "places")          \
  F(near, i32, mark, "nodes")         \
  F(val, i32, overlap, "")            \
  F(val, i32, fringe, "")             \
  F(rw, i32, status, "nodes")         \
  F(rw, i32, donor, "nodes,4")        \
  F(rw, f64, weight, "nodes,4")       \
  F(inc, u64, faults, "members")
/* The slot of a node's donor, and its worth; -1 without one. */
HD i32 N(overset_best)(i32 i, i32 m, i32 *worth OVERSET_GIVE(PARAM))
{
  i32 best = -1;
  *worth   = 0;
  for (i32 e = slots[i]; e < slots[i + 1]; e++) {
    if (cell[e] < 0) continue;
    const i32 here = overset_worth(corners, cell[e], shift[m], mark, overlap);
    if (best >= 0 && (here < *worth || (here == *worth && !(near[e] < near[best])))) continue;
    best   = e;
    *worth = here;
  }
  return best;
}

KERNEL(N(overset_give), OVERSET_GIVE, indirect)
{
  const i32 m = member[i], here = i - shift[m];
  if (!alive[m]) return;
  const i32 now  = overset_status(mark[i], overlap);
  i32       k[4] = {i, i, i, i}, best = -1, worth = 0;
  f64       w[4] = {1, 0, 0, 0};
  if (now == COVERED || now == RECEPTOR) best = N(overset_best)(i, m, &worth OVERSET_GIVE(NAME));
  if (best >= 0) {
    const i32 *c = corners + 4 * cell[best];
    for (i32 a = 0; a < 4; a++) k[a] = (c[a] < 0 ? c[2] : c[a]) + shift[m];
    N(overset_weigh)(frame, corners, cell[best], N(overset_frame)(pose + NP * part[best], x, i), w);
  }
  if (now == RECEPTOR && worth == 0) fault(faults + m, OVERSET_ORPHAN, i);
  if (now == FIELD && status[i] == SOLID) fault(faults + m, OVERSET_FREED, i);
  if (now == SOLID) {
    const i32 body = mark[i] == MARK_BODY;
    if (wall[here] || overset_beside(here, shift[m], offsets, neighbour, mark, overlap + fringe))
      fault(faults + m, !body ? OVERSET_OUTSIDE : wall[here] ? OVERSET_WALLS : OVERSET_BODY, i);
  }
  status[i] = now;
  put4_words(donor + 4 * i, (const uint32_t *)k);
  put4_f64(weight + 4 * i, w);
}
