/* rim_row.h - a row of a sparse product on its way (rims.h): sums by column, put in order and stored.  A team's
 * lanes share it by their columns: 32 entries at once come to the lanes, and each lane takes those of its own in
 * the order of the entries, so that sums do not depend on which is faster.                          */

#define RIM_LANES 32
#if PARTS(RIM_LANES) == 1
#define RIM_KEYS  512 /* places of a table of columns, of a lane, */
#define RIM_MOST  384 /* and columns that it takes: the longest rows have some 250 */
#define RIM_SHIFT 23
#else
#define RIM_KEYS  32
#define RIM_MOST  31
#define RIM_SHIFT 22
#endif

/* A lane's entries of a row, by hashing; those without a place add up in `rest`. */
struct rim_row {
  i32 lane, many;
  f64 rest;
  i32 column[RIM_KEYS];
  f64 value[RIM_KEYS];
};

HD void rim_empty(struct rim_row *s, i32 lane)
{
  s->lane = lane;
  s->many = 0;
  s->rest = 0;
  for (i32 k = 0; k < RIM_KEYS; k++) s->column[k] = -1;
}

HD uint32_t rim_hash(i32 column)
{
  return (uint32_t)column * 2654435769u;
}

/* Lane of a column. */
HD i32 rim_lane(i32 column)
{
  return (i32)(rim_hash(column) >> 27);
}

/* None where the column is negative, or another lane's. */
HD void rim_add(struct rim_row *s, i32 column, f64 value)
{
  if (column < 0 || (PARTS(RIM_LANES) > 1 && rim_lane(column) != s->lane)) return;
  uint32_t at = (rim_hash(column) >> RIM_SHIFT) % RIM_KEYS;
  while (s->column[at] >= 0 && s->column[at] != column) at = (at + 1) % RIM_KEYS;
  if (s->column[at] < 0) {
    if (s->many == RIM_MOST) {
      s->rest += value;
      return;
    }
    s->many++;
    s->column[at] = column;
    s->value[at]  = 0;
  }
  s->value[at] += value;
}

/* The entries that the first `count` lanes have, in their order. */
HD void rim_add_each(struct rim_row *s, i32 count, i32 column, f64 value)
{
  if (PARTS(RIM_LANES) == 1) {
    rim_add(s, column, value);
    return;
  }
  uint32_t own = lanes_with(s->lane < count && column >= 0); /* entries of this lane's columns */
  for (i32 bit = 0; bit < 5; bit++) {
    const uint32_t with = lanes_with(rim_lane(column) >> bit & 1);
    own &= s->lane >> bit & 1 ? with : ~with;
  }
  while (lanes_with(own != 0)) {
    const i32 from  = own ? lowest_bit(own) : 0;
    const i32 there = lane_i32(column, from, RIM_LANES);
    const f64 much  = lane_f64(value, from, RIM_LANES);
    rim_add(s, own ? there : -1, much);
    own &= own - 1;
  }
}

/* factor times entries from begin on, before end. */
HD void rim_add_row(struct rim_row *s, i32 begin, i32 end, const i32 *columns, const f32 *values, f64 factor)
{
  for (i32 b = begin; b < end; b += PARTS(RIM_LANES)) {
    const i32 own = b + s->lane, there = PARTS(RIM_LANES) == 1 || own < end;
    rim_add_each(s, end - b, there ? columns[own] : -1, there ? factor * (f64)values[own] : 0);
  }
}

/* A lane's entries to the front, in the order of their places; `many` are there. */
HD void rim_pack(struct rim_row *s)
{
  i32 count = 0;
  for (i32 k = 0; k < RIM_KEYS; k++) {
    if (s->column[k] < 0) continue;
    s->column[count] = s->column[k];
    s->value[count]  = s->value[k];
    count++;
  }
}

/* By column. */
HD void rim_sort(struct rim_row *s)
{
  rim_pack(s);
  for (i32 k = 1; k < s->many; k++) {
    const i32 column = s->column[k];
    const f64 value  = s->value[k];
    i32       at     = k;
    for (; at > 0 && s->column[at - 1] > column; at--) {
      s->column[at] = s->column[at - 1];
      s->value[at]  = s->value[at - 1];
    }
    s->column[at] = column;
    s->value[at]  = value;
  }
}

/* Place of each of a lane's entries, in order, among those of all lanes. */
HD void rim_rank(const struct rim_row *s, i32 *rank)
{
  for (i32 k = 0; k < s->many; k++) rank[k] = k;
  for (i32 other = 0; PARTS(RIM_LANES) > 1 && other < PARTS(RIM_LANES); other++) {
    const i32 count = lane_i32(s->many, other, RIM_LANES);
    for (i32 e = 0; e < count; e++) {
      const i32 column = lane_i32(s->column[e], other, RIM_LANES);
      for (i32 k = 0; k < s->many; k++) rank[k] += other != s->lane && column < s->column[k];
    }
  }
}

/* The first `wide` entries by column; what is beyond adds to that of column `own`, which is kept and given back. */
HD f64 rim_store(struct rim_row *s, i32 own, i32 wide, i32 *many, i32 *columns, f32 *values)
{
  i32 rank[RIM_KEYS], last = 0;
  rim_sort(s);
  rim_rank(s, rank);
  for (i32 k = 0; k < s->many; k++) last |= s->column[k] == own && rank[k] >= wide;
  const i32 all  = (i32)together_f64((f64)s->many, RIM_LANES);
  const i32 kept = together_f64((f64)last, RIM_LANES) > 0 ? wide - 1 : wide;
  for (i32 k = 0; k < s->many; k++) s->rest += rank[k] < kept || s->column[k] == own ? 0 : s->value[k];
  const f64 rest = together_f64(s->rest, RIM_LANES);
  f64       size = 0;
  for (i32 k = 0; k < s->many; k++) {
    const i32 is_own = s->column[k] == own, at = is_own && rank[k] >= kept ? wide - 1 : rank[k];
    if (at >= kept && !is_own) continue;
    s->value[k] += is_own ? rest : 0;
    size        = is_own ? s->value[k] : size;
    columns[at] = s->column[k];
    values[at]  = (f32)s->value[k];
  }
  if (s->lane == 0) *many = all < wide ? all : wide;
  return together_f64(size, RIM_LANES);
}
