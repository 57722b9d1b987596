/* rim_products.h - renewed rows of coarse levels, products of the finer one (rims.h).  A row of R A P is that of R A
 * times P, each half in a table of its own (rim_row.h).  In space some rows meet more columns than such a table takes:
 * they are made again, entry by entry, in a table as large as both.                             */

#define RIM_OVER (-1) /* entries of a row that is to be made again */

/* The finer level: its tables, and its renewed rows of matrix and transfer.  The tables of the transfer are the
 * first ones of the matrix: those of members that go on. */
#define RIM_ABOVE(F)                                    \
  F(in, i32, first, "members>fine")                     \
  F(near, i32, above, "fine")                           \
  F(in, i32, above_like, "fine>above_table")            \
  F(in, i32, above_row, "above_table+1>>above_blocks")  \
  F(in, i32, above_column, "above_blocks")              \
  F(in, f32, A, "above_blocks,1")                       \
  F(in, i32, up_row, "up_table+1>>up_blocks")           \
  F(in, i32, up_column, "up_blocks")                    \
  F(in, f32, P, "up_blocks,1")                          \
  F(in, i32, above_many, "above_renewed")               \
  F(in, i32, above_columns, "above_renewed,above_wide") \
  F(in, f32, above_values, "above_renewed,above_wide")  \
  F(in, i32, many_up, "above_renewed")                  \
  F(in, i32, columns_up, "above_renewed,wide_up")       \
  F(in, f32, values_up, "above_renewed,wide_up")        \
  F(val, i32, above_wide, "")                           \
  F(val, i32, wide_up, "")
#define RIM_PRODUCTS(F)                                                   \
  RIM_RENEWED(F)                                                          \
  F(in, i32, start, "members>rows")                                       \
  F(in, i32, like, "rows>table")                                          \
  F(in, i32, row, "table+1>>blocks")                                      \
  F(in, i32, column, "blocks")                                            \
  F(in, f32, R, "blocks,1")                                               \
  RIM_ABOVE(F)                                                            \
  F(val, f64, share, "") /* least new diagonal over that of the tables */ \
  F(in, f32, unit, "rows")                                                \
  F(in, i32, most, "members") /* entries of a row, up to */               \
  F(val, i32, wide, "")                                                   \
  F(upd, i32, many, "renewed")                                            \
  F(upd, i32, columns, "renewed,wide")                                    \
  F(upd, f32, values, "renewed,wide")                                     \
  F(upd, f32, keep, "rows")                                               \
  F(upd, i32, slot, "rows")

/* Entries of a row, renewed or of the tables: none of a dead one. */
HD struct rim_span rim_span_of(i32 at, i32 t, const i32 *row, const i32 *many, i32 wide)
{
  const i32             begin = at >= 0 ? wide * at : row[t];
  const struct rim_span found = {begin, at >= 0 ? begin + many[at] : at == RIM_DEAD ? begin : row[t + 1], at >= 0};
  return found;
}

/* s += entries of R from begin on, before end, times the finer matrix. */
HD void rim_across(struct rim_row *s, i32 from, i32 begin, i32 end, const i32 *column, const f32 *R RIM_ABOVE(PARAM))
{
  for (i32 c = begin; c < end && rim_fits(s); c += PARTS(RIM_LANES)) {
    const i32       own = c + s->lane, there = own < end, j = there ? from + column[own] : 0;
    struct rim_span to = {0, 0, 0};
    if (there) to = rim_span_of(above[j], above_like[j], above_row, above_many, above_wide);
    rim_add_rows(s, end - c < PARTS(RIM_LANES) ? end - c : PARTS(RIM_LANES), to, there ? (f64)R[own] : 0, RIM_LANES,
                 above_column, A, above_columns, above_values);
  }
}

/* s += half times the transfer. */
HD void rim_down(struct rim_row *s, const struct rim_row *half, i32 from RIM_ABOVE(PARAM))
{
  for (i32 b = 0; b < half->many; b += PARTS(RIM_LANES)) {
    const i32       e = b + s->lane, there = e < half->many, j = there ? from + half->column[e] : 0;
    struct rim_span to = {0, 0, 0};
    if (there) to = rim_span_of(above[j], above_like[j], up_row, many_up, wide_up);
    rim_add_rows(s, half->many - b < PARTS(RIM_LANES) ? half->many - b : PARTS(RIM_LANES), to,
                 there ? half->value[e] : 0, RIM_SHORT, up_column, P, columns_up, values_up);
  }
}

/* Functions of which holes leave next to nothing make coarser matrices indefinite, and die: kept, they cost parts with
 * thin gaps 15 to 20 iterations in place of 6.  size: the diagonal of row r. */
HD void rim_live(i32 r, f64 size RIM_PRODUCTS(PARAM))
{
  const i32 live = size > share * fabs((f64)unit[r]);
  keep[r]        = live ? (f32)((f64)unit[r] / size) : 0;
  slot[r]        = live ? slot[r] : RIM_DEAD;
}

/* Rows of R A P, R as in the tables, but those that meet more columns than a table takes. */
TEAM(rim_products, RIM_PRODUCTS, wide, RIM_LANES)
{
  TEAM_MEMORY(struct rim_table, table);
  TEAM_MEMORY(struct rim_table, other);
  if (!rim_used(i RIM_RENEWED(NAME))) return;
  const i32         r = held[i], m = owner[i], t = like[r], from = first[m];
  struct rim_row    half, s;
  struct rim_table *left = PARTS(RIM_LANES) > 1 ? table : other, *right = PARTS(RIM_LANES) > 1 ? other : table;
  rim_empty(&half, table->column, table->value, RIM_KEYS, lane);
  rim_across(&half, from, row[t], row[t + 1], column, R RIM_ABOVE(NAME));
  const i32 fits = rim_fits(&half);
  rim_pack(&half);
  if (PARTS(RIM_LANES) > 1) rim_sort(&half, other->column, other->value); /* a host has one order without */
  rim_empty(&s, left->column, left->value, RIM_KEYS, lane);
  if (fits) rim_down(&s, &half, from RIM_ABOVE(NAME));
  if (!fits || !rim_fits(&s)) {
    if (!lane) many[i] = RIM_OVER;
    return;
  }
  const f64 size =
      rim_store(&s, right, r - start[m], rim_most(most[m], wide), many + i, columns + wide * i, values + wide * i);
  if (!lane) rim_live(r, size RIM_PRODUCTS(NAME));
}

/* s += entries of R from begin on, before end, times the finer matrix times the transfer, with no row of a product on
 * the way: two to three times the work. */
HD void rim_straight(struct rim_row *s, i32 from, i32 begin, i32 end, const i32 *column, const f32 *R RIM_ABOVE(PARAM))
{
  for (i32 c = begin; c < end; c++) {
    const i32             j   = from + column[c];
    const struct rim_span row = rim_span_of(above[j], above_like[j], above_row, above_many, above_wide);
    const i32            *to  = row.renewed ? above_columns : above_column;
    const f32            *a   = row.renewed ? above_values : A;
    for (i32 b = row.begin; b < row.end; b += PARTS(RIM_LANES)) {
      const i32       e = b + s->lane, there = e < row.end, k = there ? from + to[e] : 0;
      struct rim_span down = {0, 0, 0};
      if (there) down = rim_span_of(above[k], above_like[k], up_row, many_up, wide_up);
      rim_add_rows(s, row.end - b < PARTS(RIM_LANES) ? row.end - b : PARTS(RIM_LANES), down,
                   there ? (f64)R[c] * (f64)a[e] : 0, RIM_SHORT, up_column, P, columns_up, values_up);
    }
  }
}

/* The rows that rim_products leaves. */
TEAM(rim_long, RIM_PRODUCTS, wide, RIM_LANES)
{
  TEAM_MEMORY(struct rim_both, table);
  if (!rim_used(i RIM_RENEWED(NAME)) || many[i] != RIM_OVER) return;
  const i32      r = held[i], m = owner[i], t = like[r];
  struct rim_row s;
  rim_empty(&s, table->column, table->value, RIM_BOTH, lane);
  rim_straight(&s, first[m], row[t], row[t + 1], column, R RIM_ABOVE(NAME));
  rim_pack(&s);
  rim_sort_here(&s);
  const f64 size =
      rim_write(&s, r - start[m], rim_most(most[m], wide), many + i, columns + wide * i, values + wide * i);
  if (!lane) rim_live(r, size RIM_PRODUCTS(NAME));
}
