/* lists.h - the cells that may hold a place, by bins (docs/overset.md).  Places [chord].
 * A bin is a list of the cells that meet it (its first entry, their number) or, where the second number is
 * negative, a grid of its own (its first bin, minus the number along each axis).  Whoever builds the lists
 * (python/kinemesh/overset/bins.py, bins_space.py) takes a bin's index from the expressions below.  */

/* First entry and number of the list of a place, and 1; 0 beyond the bins.  t: the place in bins of a grid. */
HD i32 N(overset_list)(const f64 *p, const f64 *box, const i32 *across, const i32 *bins, i32 *list)
{
  f64 t[DIM];
  i32 bin = 0, stride = 1;
  for (i32 k = 0; k < DIM; k++) {
    t[k] = (p[k] - box[k]) * box[DIM + k];
    if (!(t[k] >= 0 && t[k] < across[k])) return 0;
    bin += stride * (i32)t[k];
    stride *= across[k];
  }
  for (load2_words(bins + 2 * bin, list); list[1] < 0; load2_words(bins + 2 * bin, list)) {
    bin = list[0], stride = 1;
    for (i32 k = 0; k < DIM; k++) {
      t[k] = (t[k] - (i32)t[k]) * -list[1];
      bin += stride * (i32)t[k];
      stride *= -list[1];
    }
  }
  return 1;
}
