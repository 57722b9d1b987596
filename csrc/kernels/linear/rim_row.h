/* rim_row.h - a row of a sparse product on its way (rims.h): sums by column in a table that the lanes of a team
 * share, put in order and stored.  Which lane is faster may change the places of columns, which are put in order, and
 * no sum: no two lanes add to a column at once.                                                     */

#define RIM_LANES      32
#define RIM_KEYS       512                            /* places of a table, of which rows have two, */
#define RIM_BOTH       (2 * RIM_KEYS)                 /* or one of both (rim_products.h) */
#define RIM_MOST(keys) ((keys) - (keys) / 8)          /* columns that a table takes */
#define RIM_SHIFT      23                             /* 32 less the bits of RIM_KEYS - 1 */
#define RIM_AHEAD      (PARTS(RIM_LANES) > 1 ? 8 : 1) /* entries of each lane that are read at once */

struct rim_table {
  i32 column[RIM_KEYS];
  f64 value[RIM_KEYS];
};

struct rim_both {
  i32 column[RIM_BOTH];
  f64 value[RIM_BOTH];
};

/* A lane's part of a row: what has no place adds up in `rest`. */
struct rim_row {
  i32 *column;
  f64 *value;
  i32  keys, lane, many; /* places; many: columns, the same in each lane, and until rim_pack those that had no place,
                          * as often as they were met */
  f64  rest;
};

/* Entries from begin on, before end: renewed ones, or of the tables. */
struct rim_span {
  i32 begin, end, renewed;
};

HD void rim_empty(struct rim_row *s, i32 *column, f64 *value, i32 keys, i32 lane)
{
  s->column = column;
  s->value  = value;
  s->keys   = keys;
  s->lane   = lane;
  s->many   = 0;
  s->rest   = 0;
  team_step();
  for (i32 k = lane; k < keys; k += PARTS(RIM_LANES)) column[k] = -1, value[k] = 0;
  team_step();
}

/* 1 where every column had a place; before rim_pack. */
HD i32 rim_fits(const struct rim_row *s)
{
  return s->many <= RIM_MOST(s->keys);
}

/* One entry of each lane, none where its column is negative; no two lanes have the same column. */
HD void rim_add(struct rim_row *s, i32 column, f64 value)
{
  i32           *columns = s->column;
  const uint32_t last    = (uint32_t)s->keys - 1;
  const i32      most    = RIM_MOST(s->keys);
  uint32_t       at      = (uint32_t)column * 2654435769u >> (s->keys > RIM_KEYS ? RIM_SHIFT - 1 : RIM_SHIFT);
  while (column >= 0 && columns[at] != column && columns[at] >= 0) at = (at + 1) & last;
  const i32      is_new = column >= 0 && columns[at] != column;
  const uint32_t with   = lanes_with(is_new);
  const i32      fits   = s->many + bits_before(with, s->lane) < most;
  team_step();
  while (is_new && fits && !claim(columns + at, -1, column)) at = (at + 1) & last;
  if (is_new && !fits)
    s->rest += value;
  else if (column >= 0)
    s->value[at] += value;
  s->many += bits_set(with);
  team_step();
}

/* One entry of each lane; those of one column are added up in the order of their lanes. */
HD void rim_add_each(struct rim_row *s, i32 column, f64 value)
{
  if (PARTS(RIM_LANES) == 1) {
    rim_add(s, column, value);
    return;
  }
  uint32_t  like = lanes_like(column);
  const i32 adds = column >= 0 && bits_before(like, s->lane) == 0;
  f64       sum  = 0;
  for (like = adds ? like : 0; lanes_with(like != 0); like &= like - 1) {
    const f64 there = lane_f64(value, like ? lowest_bit(like) : 0, RIM_LANES);
    sum += like ? there : 0;
  }
  rim_add(s, adds ? column : -1, sum);
}

/* A row of each of the first `count` lanes times its factor; the others have none.  `wide` lanes read a row: of
 * short ones several at once, whose columns may be the same. */
HD void rim_add_rows(struct rim_row *s, i32 count, struct rim_span row, f64 factor, i32 wide, const i32 *columns,
                     const f32 *values, const i32 *new_columns, const f32 *new_values)
{
  if (PARTS(RIM_LANES) == 1) {
    const i32 *of = row.renewed ? new_columns : columns;
    const f32 *a  = row.renewed ? new_values : values;
    for (i32 e = row.begin; e < row.end; e++) rim_add(s, of[e], factor * (f64)a[e]);
    return;
  }
  const i32 rows = RIM_LANES / wide;
  for (i32 k = 0; k < count; k += rows * RIM_AHEAD) {
    i32 begin[RIM_AHEAD], end[RIM_AHEAD], renewed[RIM_AHEAD], longest = 0;
    f64 by[RIM_AHEAD];
    UNROLL
    for (i32 u = 0; u < RIM_AHEAD; u++) {
      const i32 from = k + rows * u + s->lane / wide;
      begin[u]       = lane_i32(row.begin, from, RIM_LANES) + s->lane % wide;
      end[u]         = lane_i32(row.end, from, RIM_LANES);
      renewed[u]     = lane_i32(row.renewed, from, RIM_LANES);
      by[u]          = lane_f64(factor, from, RIM_LANES);
      longest        = end[u] - begin[u] > longest ? end[u] - begin[u] : longest;
    }
    for (i32 b = 0; lanes_with(b < longest); b += wide) {
      i32 column[RIM_AHEAD];
      f32 value[RIM_AHEAD];
      UNROLL
      for (i32 u = 0; u < RIM_AHEAD; u++) {
        const i32 at = begin[u] + b, there = at < end[u];
        column[u] = there ? (renewed[u] ? new_columns : columns)[at] : -1;
        value[u]  = there ? (renewed[u] ? new_values : values)[at] : 0;
      }
      UNROLL
      for (i32 u = 0; u < RIM_AHEAD; u++) {
        if (!lanes_with(column[u] >= 0)) continue;
        if (rows > 1)
          rim_add_each(s, column[u], by[u] * (f64)value[u]);
        else
          rim_add(s, column[u], by[u] * (f64)value[u]);
      }
    }
  }
}

/* Entries to the front. */
HD void rim_pack(struct rim_row *s)
{
  i32 count = 0;
  for (i32 k = s->lane; k < s->keys; k += PARTS(RIM_LANES)) {
    const i32      column = s->column[k];
    const f64      value  = s->value[k];
    const uint32_t with   = lanes_with(column >= 0);
    const i32      at     = count + bits_before(with, s->lane);
    team_step();
    if (column >= 0) s->column[at] = column, s->value[at] = value;
    count += bits_set(with);
  }
  s->many = count;
  team_step();
}

/* Entries by column, from the front of another table on; the one that they were in is free. */
HD void rim_sort(struct rim_row *s, i32 *column, f64 *value)
{
  for (i32 b = s->lane; b < s->many; b += RIM_AHEAD * PARTS(RIM_LANES)) {
    i32 own[RIM_AHEAD], rank[RIM_AHEAD];
    UNROLL
    for (i32 u = 0; u < RIM_AHEAD; u++) {
      const i32 e = b + u * PARTS(RIM_LANES);
      own[u]      = e < s->many ? s->column[e] : 0;
      rank[u]     = 0;
    }
    for (i32 k = 0; k < s->many; k++) {
      const i32 other = s->column[k];
      UNROLL
      for (i32 u = 0; u < RIM_AHEAD; u++) rank[u] += other < own[u];
    }
    UNROLL
    for (i32 u = 0; u < RIM_AHEAD; u++) {
      const i32 e = b + u * PARTS(RIM_LANES);
      if (e < s->many) column[rank[u]] = own[u], value[rank[u]] = s->value[e];
    }
  }
  s->column = column;
  s->value  = value;
  team_step();
}

/* Entries by column where they are, by a bitonic network of the next power of 2. */
HD void rim_sort_here(struct rim_row *s)
{
  i32 all = 1;
  while (all < s->many) all *= 2;
  for (i32 e = s->many + s->lane; e < all; e += PARTS(RIM_LANES)) s->column[e] = 0x7fffffff;
  team_step();
  for (i32 run = 2; run <= all; run *= 2)
    for (i32 apart = run / 2; apart > 0; apart /= 2) {
      for (i32 pair = s->lane; pair < all / 2; pair += PARTS(RIM_LANES)) {
        const i32 a = 2 * pair - pair % apart, b = a + apart, left = s->column[a], right = s->column[b];
        if (a & run ? left >= right : left <= right) continue;
        const f64 value = s->value[a];
        s->column[a] = right, s->value[a] = s->value[b];
        s->column[b] = left, s->value[b] = value;
      }
      team_step();
    }
}

/* The first `wide` of the entries, which are in order; what is beyond adds to that of column `own`, which is kept and
 * given back. */
HD f64 rim_write(struct rim_row *s, i32 own, i32 wide, i32 *many, i32 *columns, f32 *values)
{
  i32 place = 0; /* of column `own`, from 1 */
  for (i32 e = s->lane; e < s->many; e += PARTS(RIM_LANES)) place += s->column[e] == own ? e + 1 : 0;
  place          = (i32)together_f64((f64)place, RIM_LANES);
  const i32 kept = place > wide ? wide - 1 : wide;
  for (i32 e = kept + s->lane; e < s->many; e += PARTS(RIM_LANES)) s->rest += e + 1 == place ? 0 : s->value[e];
  const f64 rest = together_f64(s->rest, RIM_LANES);
  const f64 size = place ? s->value[place - 1] + rest : 0;
  for (i32 e = s->lane; e < s->many && e < kept; e += PARTS(RIM_LANES)) {
    columns[e] = s->column[e];
    values[e]  = (f32)(e + 1 == place ? size : s->value[e]);
  }
  if (s->lane) return size;
  if (place > wide) columns[kept] = own, values[kept] = (f32)size;
  *many = s->many < wide ? s->many : wide;
  return size;
}

/* Puts entries in order in another table, and writes them. */
HD f64 rim_store(struct rim_row *s, struct rim_table *spare, i32 own, i32 wide, i32 *many, i32 *columns, f32 *values)
{
  rim_pack(s);
  rim_sort(s, spare->column, spare->value);
  return rim_write(s, own, wide, many, columns, values);
}
