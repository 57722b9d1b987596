/* rim_row.h - a row of a sparse product on its way (rims.h): sums by column in a table that the lanes of a team
 * share, put in order and stored.  Which lane is faster may change the places of columns, which are put in order, and
 * no sum: no two lanes add to a column at once.                                                     */

#define RIM_LANES 32
#define RIM_KEYS  512 /* places of a table, */
#define RIM_MOST  448 /* and columns that it takes: the longest rows have some 360 */
#define RIM_SHIFT 23
#define RIM_AHEAD (PARTS(RIM_LANES) > 1 ? 8 : 1) /* entries of each lane that are read at once */

struct rim_table {
  i32 column[RIM_KEYS];
  f64 value[RIM_KEYS];
};

/* A lane's part of a row: what has no place adds up in `rest`. */
struct rim_row {
  struct rim_table *in;
  i32               lane, many; /* many: columns, the same in each lane */
  f64               rest;
};

/* Entries from begin on, before end: renewed ones, or of the tables. */
struct rim_span {
  i32 begin, end, renewed;
};

HD void rim_empty(struct rim_row *s, struct rim_table *in, i32 lane)
{
  s->in   = in;
  s->lane = lane;
  s->many = 0;
  s->rest = 0;
  team_step();
  for (i32 k = lane; k < RIM_KEYS; k += PARTS(RIM_LANES)) in->column[k] = -1, in->value[k] = 0;
  team_step();
}

/* One entry of each lane, none where its column is negative; no two lanes have the same column. */
HD void rim_add(struct rim_row *s, i32 column, f64 value)
{
  i32     *columns = s->in->column;
  uint32_t at      = (uint32_t)column * 2654435769u >> RIM_SHIFT;
  while (column >= 0 && columns[at] != column && columns[at] >= 0) at = (at + 1) % RIM_KEYS;
  const i32      is_new = column >= 0 && columns[at] != column;
  const uint32_t with   = lanes_with(is_new);
  const i32      fits   = s->many + bits_before(with, s->lane) < RIM_MOST;
  team_step();
  while (is_new && fits && !claim(columns + at, -1, column)) at = (at + 1) % RIM_KEYS;
  if (is_new && !fits)
    s->rest += value;
  else if (column >= 0)
    s->in->value[at] += value;
  s->many += bits_set(with);
  s->many = s->many < RIM_MOST ? s->many : RIM_MOST;
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
  struct rim_table *in    = s->in;
  i32               count = 0;
  for (i32 k = s->lane; k < RIM_KEYS; k += PARTS(RIM_LANES)) {
    const i32      column = in->column[k];
    const f64      value  = in->value[k];
    const uint32_t with   = lanes_with(column >= 0);
    const i32      at     = count + bits_before(with, s->lane);
    team_step();
    if (column >= 0) in->column[at] = column, in->value[at] = value;
    count += bits_set(with);
  }
  team_step();
}

/* Entries by column, from the front of another table on; the one that they were in is free. */
HD struct rim_table *rim_sort(struct rim_row *s, struct rim_table *to)
{
  struct rim_table *from = s->in;
  for (i32 b = s->lane; b < s->many; b += RIM_AHEAD * PARTS(RIM_LANES)) {
    i32 own[RIM_AHEAD], rank[RIM_AHEAD];
    UNROLL
    for (i32 u = 0; u < RIM_AHEAD; u++) {
      const i32 e = b + u * PARTS(RIM_LANES);
      own[u]      = e < s->many ? from->column[e] : 0;
      rank[u]     = 0;
    }
    for (i32 k = 0; k < s->many; k++) {
      const i32 column = from->column[k];
      UNROLL
      for (i32 u = 0; u < RIM_AHEAD; u++) rank[u] += column < own[u];
    }
    UNROLL
    for (i32 u = 0; u < RIM_AHEAD; u++) {
      const i32 e = b + u * PARTS(RIM_LANES);
      if (e < s->many) to->column[rank[u]] = own[u], to->value[rank[u]] = from->value[e];
    }
  }
  s->in = to;
  team_step();
  return from;
}

/* The first `wide` entries by column; what is beyond adds to that of column `own`, which is kept and given back. */
HD f64 rim_store(struct rim_row *s, struct rim_table *spare, i32 own, i32 wide, i32 *many, i32 *columns, f32 *values)
{
  i32 place = 0; /* of column `own`, from 1 */
  rim_pack(s);
  rim_sort(s, spare);
  for (i32 e = s->lane; e < s->many; e += PARTS(RIM_LANES)) place += s->in->column[e] == own ? e + 1 : 0;
  place          = (i32)together_f64((f64)place, RIM_LANES);
  const i32 kept = place > wide ? wide - 1 : wide;
  for (i32 e = kept + s->lane; e < s->many; e += PARTS(RIM_LANES)) s->rest += e + 1 == place ? 0 : s->in->value[e];
  const f64 rest = together_f64(s->rest, RIM_LANES);
  const f64 size = place ? s->in->value[place - 1] + rest : 0;
  for (i32 e = s->lane; e < s->many && e < kept; e += PARTS(RIM_LANES)) {
    columns[e] = s->in->column[e];
    values[e]  = (f32)(e + 1 == place ? size : s->in->value[e]);
  }
  if (s->lane) return size;
  if (place > wide) columns[kept] = own, values[kept] = (f32)size;
  *many = s->many < wide ? s->many : wide;
  return size;
}
