/* lists.h - the cells that may hold a place, by bins (docs/overset.md).  Places [chord].
 * A bin is a list of the cells that meet it (its first entry, their number) or, where the second number is
 * negative, a grid of its own (its first bin, minus the number along each axis).  Whoever builds the lists
 * (python/kinemesh/overset/bins.py, bins_space.py, inside.py) numbers bins as bin_number does.  */

/* Number of a bin of a grid by its place along each axis, the first of which is the fastest. */
HD i32 N(bin_number)(const i32 *at, const i32 *across)
{
  i32 number = at[DIM - 1];
  for (i32 k = DIM - 2; k >= 0; k--) number = number * across[k] + at[k];
  return number;
}

/* A place in bins of a grid, t, and the place of the bin that holds it; 0 beyond the grid. */
HD i32 N(bin_of)(const f64 *p, const f64 *box, const i32 *across, f64 *t, i32 *at)
{
  for (i32 k = 0; k < DIM; k++) {
    t[k] = (p[k] - box[k]) * box[DIM + k];
    if (!(t[k] >= 0 && t[k] < across[k])) return 0;
    at[k] = (i32)t[k];
  }
  return 1;
}

/* First entry and number of the list of a place, and 1; 0 beyond the bins. */
HD i32 N(overset_list)(const f64 *p, const f64 *box, const i32 *across, const i32 *bins, i32 *list)
{
  f64 t[DIM];
  i32 at[DIM], size[DIM];
  if (!N(bin_of)(p, box, across, t, at)) return 0;
  i32 bin = N(bin_number)(at, across);
  for (load2_words(bins + 2 * bin, list); list[1] < 0; load2_words(bins + 2 * bin, list)) {
    for (i32 k = 0; k < DIM; k++) {
      size[k] = -list[1];
      t[k]    = (t[k] - at[k]) * size[k];
      at[k]   = (i32)t[k];
    }
    bin = list[0] + N(bin_number)(at, size);
  }
  return 1;
}
