/* rims.h - levels of a cycle on a matrix whose rows have a status (composite.h), made from those of the matrix
 * without holes (docs/theory.md, section 7.6).  Far from rims a row is what stands in the tables of the level;
 * where holes or ties reach it, it is renewed, here, with the status.  slot: RIM_DEAD, RIM_STATIC, or the place
 * of a renewed row in buffers of `wide` entries, columns counted from the first row of the member.  Each row is
 * one team's, in an order that is its own (rim_row.h).  Rows are in the units of the tables: keep, static over new
 * diagonal, scales them anew (scalar.h); 0 in dead rows. */

#define RIM_FEW   8 /* lanes of a row that is looked at, */
#define RIM_SHORT 8 /* and of one of the transfer */

enum rim_slot { RIM_STATIC = -1, RIM_DEAD = -2, RIM_TO_RENEW = -3 };

/* ---- which rows ---- */

#define RIM_FINEST(F)                                                          \
  F(in, i32, member, "rows>members")                                           \
  F(in, i32, active, "members")                                                \
  F(near, i32, status, "rows")                                                 \
  F(in, f32, unit, "rows") /* diagonal in the tables; 0 in rows not in them */ \
  F(in, i32, row, "rows+1>>blocks")                                            \
  F(in, i32, column, "blocks>rows")                                            \
  F(in, f64, matrix, "blocks,1")                                               \
  F(out, i32, slot, "rows")                                                    \
  F(out, f32, keep, "rows")
#define RIM_NEAR(F)                  \
  F(in, i32, member, "rows>members") \
  F(in, i32, active, "members")      \
  F(in, i32, like, "rows>table")     \
  F(in, i32, row, "table+1>>blocks") \
  F(in, i32, column, "blocks")       \
  F(in, i32, first, "members>rows")  \
  F(near, i32, slot, "rows")         \
  F(out, i32, near, "rows")
/* Slots of a level, from the finer one; the tables are those of the restriction. */
#define RIM_COARSER(F)                                                                      \
  F(in, i32, member, "rows>members")                                                        \
  F(in, i32, active, "members")                                                             \
  F(in, i32, like, "rows>table")                                                            \
  F(in, i32, row, "table+1>>blocks")                                                        \
  F(in, i32, column, "blocks")                                                              \
  F(in, i32, first, "members>fine")                                                         \
  F(in, i32, start, "members>rows")                                                         \
  F(near, i32, above, "fine") /* slot of the finer level */                                 \
  F(near, i32, near, "fine")                                                                \
  F(in, i32, above_like, "fine>above_table")                                                \
  F(in, i32, joined, "above_table") /* aggregate of a finer row, from that of its member */ \
  F(out, i32, slot, "rows")                                                                 \
  F(out, f32, keep, "rows")
#define RIM_GROUPS(F)                   \
  F(in, i32, offsets, "groups+1>>rows") \
  F(in, i32, owner, "groups>members")   \
  F(in, i32, active, "members")
#define RIM_COUNT(F)       \
  RIM_GROUPS(F)            \
  F(in, i32, slot, "rows") \
  F(out, i32, counts, "groups")
#define RIM_PLACE(F)                                             \
  RIM_GROUPS(F)                                                  \
  F(in, i32, since, "groups>groups") /* first of its member */   \
  F(in, i32, counts, "groups")                                   \
  F(in, i32, begin, "members") /* slots of a member */           \
  F(in, i32, room, "members")                                    \
  F(rw, i32, slot, "rows")                                       \
  F(upd, i32, held, "renewed") /* row of a slot */               \
  F(upd, i32, used, "members") /* slots that its rows ask for */ \
  F(inc, u64, faults, "members")

/* Rows beside others that are not field are renewed. */
KERNEL(rim_finest, RIM_FINEST, heavy)
{
  if (!active[member[i]]) return;
  const i32 field = status[i] == FIELD;
  i32       rim   = 0;
  if (field && unit[i] > 0)
    for (i32 b = row[i]; b < row[i + 1]; b++) rim |= status[column[b]] != FIELD && fabs(matrix[b]) > 0;
  slot[i] = !field ? RIM_DEAD : rim ? RIM_TO_RENEW : RIM_STATIC;
  keep[i] = field ? 1 : 0;
}

/* Rows whose product with the transfer differs from the one in the tables. */
TEAM(rim_near, RIM_NEAR, heavy, RIM_FEW)
{
  const i32 begin = row[like[i]], end = row[like[i] + 1];
  if (!active[member[i]]) return;
  const i32 *there = slot + first[member[i]];
  i32        other = slot[i] != RIM_STATIC;
  for (i32 b = begin + lane; b < end && !other; b += PARTS(RIM_FEW)) other = there[column[b]] != RIM_STATIC;
  other = together_f64(other, RIM_FEW) > 0;
  if (!lane) near[i] = other;
}

/* A row lives where a row of its aggregate does. */
TEAM(rim_coarser, RIM_COARSER, heavy, RIM_FEW)
{
  const i32 m = member[i], begin = row[like[i]], end = row[like[i] + 1];
  if (!active[m]) return;
  i32 live = 0, rim = 0;
  for (i32 c = begin + lane; c < end; c += PARTS(RIM_FEW)) {
    const i32 j = first[m] + column[c];
    live |= above[j] != RIM_DEAD && joined[above_like[j]] == i - start[m];
    rim |= near[j];
  }
  live = together_f64(live, RIM_FEW) > 0;
  rim  = together_f64(rim, RIM_FEW) > 0;
  if (lane) return;
  slot[i] = !live ? RIM_DEAD : rim ? RIM_TO_RENEW : RIM_STATIC;
  keep[i] = live ? 1 : 0;
}

/* Slots in the order of rows; where they are too few a member fails by the share that fits, in percent. */
TEAM(rim_count, RIM_COUNT, heavy, RIM_LANES)
{
  i32 found = 0;
  if (!active[owner[i]]) return;
  for (i32 r = offsets[i] + lane; r < offsets[i + 1]; r += PARTS(RIM_LANES)) found += slot[r] == RIM_TO_RENEW;
  found = (i32)together_f64(found, RIM_LANES);
  if (!lane) counts[i] = found;
}

TEAM(rim_place, RIM_PLACE, heavy, RIM_LANES)
{
  const i32 m = owner[i], end = offsets[i + 1];
  if (!active[m]) return;
  i32 at = 0;
  for (i32 g = since[i] + lane; g < i; g += PARTS(RIM_LANES)) at += counts[g];
  at = (i32)together_f64(at, RIM_LANES);
  for (i32 b = offsets[i]; b < end; b += PARTS(RIM_LANES)) {
    const i32      r = b + lane, renewed = r < end && slot[r] == RIM_TO_RENEW;
    const uint32_t with = lanes_with(renewed);
    const i32      to   = at + bits_before(with, lane);
    if (renewed) slot[r] = to < room[m] ? begin[m] + to : RIM_STATIC;
    if (renewed && to < room[m]) held[begin[m] + to] = r;
    at += bits_set(with);
  }
  if (lane || (i + 1 < n && owner[i + 1] == m)) return;
  used[m] = at;
  if (at > room[m]) fault(faults + m, OVERSET_ROOM, (i32)((f64)room[m] * 100 / (f64)at));
}

/* ---- what they are ---- */

#define RIM_RENEWED(F)                 \
  F(in, i32, held, "renewed>rows")     \
  F(in, i32, owner, "renewed>members") \
  F(in, i32, active, "members")        \
  F(in, i32, begin, "members")         \
  F(in, i32, used, "members")
#define RIM_ENTRIES(F)                                        \
  RIM_RENEWED(F)                                              \
  F(near, i32, status, "rows")                                \
  F(in, i32, donor, "rows,4>rows")                            \
  F(near, f64, weight, "rows,4")                              \
  F(near, f32, unit, "rows")                                  \
  F(in, i32, row, "rows+1>>blocks") /* of the whole matrix */ \
  F(in, i32, column, "blocks>rows")                           \
  F(in, f64, matrix, "blocks,1")                              \
  F(in, i32, like, "rows>table")                              \
  F(in, i32, own_row, "table+1>>own_blocks") /* of tables */  \
  F(in, i32, own_column, "own_blocks")                        \
  F(in, i32, first, "members>rows")                           \
  F(in, f32, A, "own_blocks,1")                               \
  F(near, i32, slot, "rows")                                  \
  F(in, i32, most, "members") /* entries of a row, up to */   \
  F(val, i32, wide, "")                                       \
  F(upd, i32, many, "renewed")                                \
  F(upd, i32, columns, "renewed,wide")                        \
  F(upd, f32, values, "renewed,wide")
#define RIM_TRANSFER(F)                                                        \
  RIM_RENEWED(F)                                                               \
  F(near, i32, slot, "rows")                                                   \
  F(in, i32, like, "rows>table")                                               \
  F(in, i32, first, "members>rows")                                            \
  F(in, i32, joined, "table")                                                  \
  F(in, f32, part, "table") /* of a row in its aggregate's function */         \
  F(in, f32, keep, "rows")                                                     \
  F(in, f32, unit, "rows")                                                     \
  F(near, f32, diagonal, "rows") /* of the matrix without holes, not scaled */ \
  F(in, i32, many, "renewed")                                                  \
  F(in, i32, columns, "renewed,wide")                                          \
  F(in, f32, values, "renewed,wide")                                           \
  F(val, i32, wide, "")                                                        \
  F(val, f64, smoothing, "")                                                   \
  F(in, f64, weak, "members") /* couplings below this share of diagonals */    \
  F(val, i32, wide_up, "")                                                     \
  F(upd, i32, many_up, "renewed")                                              \
  F(upd, i32, columns_up, "renewed,wide_up")                                   \
  F(upd, f32, values_up, "renewed,wide_up")
/* Whether slot i is in use. */
HD i32 rim_used(i32 i RIM_RENEWED(PARAM))
{
  const i32 m = owner[i];
  return active[m] && i - begin[m] < used[m];
}

/* Adds the givers of row r, times a factor, and of a giver that is tied its own givers. */
HD void rim_give(struct rim_row *s, i32 r, f64 factor, i32 from, const i32 *status, const i32 *donor, const f64 *weight,
                 const f32 *unit)
{
  for (i32 b = 0; b < 20; b += PARTS(RIM_LANES)) {
    const i32 k = b + s->lane, direct = k < 4, e = 4 * r + (direct ? k : k / 4 - 1), d = k < 20 ? donor[e] : 0;
    const i32 followed = k >= 4 && k < 20 && status[d] == RECEPTOR, f = 4 * d + k % 4;
    const i32 giver = followed ? donor[f] : d,
              gives = (direct || followed) && status[giver] == FIELD && unit[giver] > 0;
    rim_add_each(s, gives ? giver - from : -1, gives ? factor * weight[e] * (followed ? weight[f] : 1) : 0);
  }
}

/* Entries of a row that are stored: those of its member, within the buffers of all. */
HD i32 rim_most(i32 most, i32 wide)
{
  return most < wide ? most : wide;
}

/* Finest rows: own columns that are field, and for those that are tied what gives them. */
TEAM(rim_entries, RIM_ENTRIES, heavy, RIM_LANES)
{
  TEAM_MEMORY(struct rim_table, table);
  TEAM_MEMORY(struct rim_table, spare);
  if (!rim_used(i RIM_RENEWED(NAME))) return;
  const i32      r = held[i], from = first[owner[i]], t = like[r], end = own_row[t + 1];
  struct rim_row s;
  rim_empty(&s, table->column, table->value, RIM_KEYS, lane);
  for (i32 b = own_row[t]; b < end; b += PARTS(RIM_LANES)) {
    const i32 e = b + lane < end ? b + lane : end - 1, c = own_column[e];
    rim_add(&s, b + lane < end && slot[from + c] != RIM_DEAD ? c : -1, (f64)A[e]);
  }
  for (i32 b = row[r]; b < row[r + 1]; b++)
    if (status[column[b]] == RECEPTOR && fabs(matrix[b]) > 0)
      rim_give(&s, column[b], (f64)unit[r] * matrix[b], from, status, donor, weight, unit);
  rim_store(&s, spare, r - from, rim_most(most[owner[i]], wide), many + i, columns + wide * i, values + wide * i);
}

/* P = T - smoothing keep F T, columns of aggregates that live; F is A with weak entries on its diagonal (7.10). */
TEAM(rim_transfer, RIM_TRANSFER, heavy, RIM_LANES)
{
  TEAM_MEMORY(struct rim_table, table);
  TEAM_MEMORY(struct rim_table, spare);
  if (!rim_used(i RIM_RENEWED(NAME))) return;
  const i32      r = held[i], t = like[r], m = owner[i], from = first[m], end = wide * i + many[i];
  const f64      less = weak[m];
  struct rim_row s;
  rim_empty(&s, table->column, table->value, RIM_KEYS, lane);
  rim_add(&s, lane ? -1 : joined[t], (f64)part[t]);
  for (i32 b = wide * i; b < end; b += PARTS(RIM_LANES)) {
    const i32 e = b + lane < end ? b + lane : end - 1, c = from + columns[e];
    const f64 share = less * (f64)unit[r], a = (f64)values[e];
    const i32 is_weak = a * a * (f64)diagonal[r] < share * share * (f64)diagonal[c], there = is_weak ? t : like[c];
    rim_add_each(&s, b + lane < end && slot[c] != RIM_DEAD ? joined[there] : -1,
                 -smoothing * (f64)keep[r] * a * (f64)part[there]);
  }
  rim_store(&s, spare, joined[t], wide_up, many_up + i, columns_up + wide_up * i, values_up + wide_up * i);
}

/* ---- inverses of coarsest matrices, one after the other ---- */

#define RIM_PIVOT(F)                                                           \
  F(in, i32, level, "dense_entries>rows") /* row of an entry */                \
  F(in, i32, member, "rows>members")                                           \
  F(in, i32, active, "members")                                                \
  F(in, i32, place, "rows")                /* number of a row in its matrix */ \
  F(in, i32, order, "rows")                /* rows of that matrix, */          \
  F(in, i32, corner, "rows>dense_entries") /* and its first entry */
#define RIM_DENSE(F)                   \
  RIM_PIVOT(F)                         \
  F(in, i32, closed, "members")        \
  F(in, f64, dense, "dense_entries,1") \
  F(near, i32, slot, "rows")           \
  F(in, i32, many, "renewed")          \
  F(in, i32, columns, "renewed,wide")  \
  F(in, f32, values, "renewed,wide")   \
  F(val, i32, wide, "")                \
  F(upd, f64, sizes, "rows")           \
  F(out, f64, to, "dense_entries,1")
#define RIM_INVERSE(F)                \
  RIM_PIVOT(F)                        \
  F(val, i32, k, "")                  \
  F(val, f64, least, "")              \
  F(near, f64, sizes, "rows")         \
  F(in, f64, from, "dense_entries,1") \
  F(out, f64, to, "dense_entries,1")

/* Where no row is given, constants have no side: the last row that lives is without a pivot. */
KERNEL(rim_dense, RIM_DENSE, heavy)
{
  const i32 r = level[i], at = slot[r], b = i - corner[r] - order[r] * place[r];
  if (!active[member[r]]) return;
  f64 found = at == RIM_STATIC ? dense[i] : 0;
  if (at >= 0)
    for (i32 e = wide * at; e < wide * at + many[at]; e++) found = columns[e] == b ? (f64)values[e] : found;
  to[i] = found;
  if (b != place[r]) return;
  i32 last = closed[member[r]];
  for (i32 e = r + 1; e < r + order[r] - b; e++) last &= slot[e] == RIM_DEAD;
  sizes[r] = last ? 1e300 : fabs(found);
}

/* Step k of Gauss-Jordan by rows; a pivot below `least` of its diagonal is none, as in rows that are dead. */
KERNEL(rim_inverse, RIM_INVERSE, indirect)
{
  const i32 row = level[i], n_ = order[row];
  if (!active[member[row]]) return;
  const i32 at = corner[row], a = place[row], b = i - at - n_ * a;
  f64       found = from[i];
  if (k < n_) {
    const i32 own   = at + k * (n_ + 1);
    const f64 pivot = from[own], size = sizes[row - a + k];
    const f64 across = from[at + n_ * k + b] / pivot, down = from[at + n_ * a + k];
    if (!(fabs(pivot) > least * size))
      found = a == k || b == k ? 0 : found;
    else if (a == k)
      found = b == k ? 1 / pivot : across;
    else
      found = b == k ? -down / pivot : found - down * across;
  }
  to[i] = found;
}
