/* bins.h - the bins of grids that cells meet (docs/overset.md, python/kinemesh/overset/bins.py).
 * Places in bins of a grid.  A cell is four corners, a triangle has its last one twice.          */

/* Of a bin, by which it is larger: far more than rounding moves places and sides. */
#define BIN_MARGIN ((f64)1 / (1 << 20))
#define BIN_FEW    30 /* bins of a cell's box that are all looked at, a bit each */

/* Corners of each cell in bins of the first grid. */
#define OVERSET_CORNERS(F)                              \
  F(near, f64, x, "nodes,2")                            \
  F(in, i32, corners, "cells,4>nodes?")                 \
  F(in, f64, box, "2,2") /* as overset_search has it */ \
  F(out, f64, corner, "cells,8")
KERNEL(overset_corners, OVERSET_CORNERS, indirect)
{
  for (i32 v = 0; v < 4; v++) {
    const i32 k = corners[4 * i + v] < 0 ? corners[4 * i + 2] : corners[4 * i + v];
    for (i32 d = 0; d < 2; d++) corner[8 * i + 2 * v + d] = (x[2 * k + d] - box[d]) * box[2 + d];
  }
}

/* Bin along an axis of a place, those beyond the grid in its first or last one. */
HD i32 bin_at(f64 place, i32 last)
{
  return place > 0 ? place < last ? (i32)place : last : 0;
}

HD void bin_range(f64 value, f64 *low, f64 *high)
{
  *low = value < *low ? value : *low, *high = value > *high ? value : *high;
}

/* First and last row that may hold the cell within a column, a little too many. */
HD void bin_rows(const f64 *corner, i32 column, const i32 *last, i32 *rows)
{
  const f64 most = INFINITY, left = column == 0 ? -most : column - 2 * BIN_MARGIN;
  const f64 right = column == last[0] ? most : column + 1 + 2 * BIN_MARGIN;
  f64       low = most, high = -most;
  for (i32 k = 0, b = 3; k < 4; b = k++) {
    const f64 x = corner[2 * b], y = corner[2 * b + 1], dx = corner[2 * k] - x, dy = corner[2 * k + 1] - y;
    if (x >= left && x <= right) bin_range(y, &low, &high);
    for (i32 side = 0; side < 2; side++) {
      const f64 edge = side ? right : left;
      if ((x < edge) != (corner[2 * k] < edge)) bin_range(y + (edge - x) / dx * dy, &low, &high);
    }
  }
  rows[0] = bin_at(low - 2 * BIN_MARGIN, last[1]), rows[1] = bin_at(high + 2 * BIN_MARGIN, last[1]);
}

/* A cell's sides, and how far to the left of each that corner of a box's first bin is that is farthest to its left:
 * a cell meets bins that no side has all of to its right. */
struct sides {
  f64 left[4], dx[4], dy[4];
};
HD void bin_sides(const f64 *corner, const i32 *start, struct sides *s)
{
  for (i32 k = 0, b = 3; k < 4; b = k++) {
    const f64 x = corner[2 * b] - start[0], y = corner[2 * b + 1] - start[1];
    const f64 dx = corner[2 * k] - corner[2 * b], dy = corner[2 * k + 1] - corner[2 * b + 1];
    const f64 far_x = (dy < 0 ? 1 + BIN_MARGIN : -BIN_MARGIN) - x, far_y = (dx > 0 ? 1 + BIN_MARGIN : -BIN_MARGIN) - y;
    s->left[k] = dx * far_y - dy * far_x, s->dx[k] = dx, s->dy[k] = dy;
  }
}
HD i32 bin_meets(const struct sides *s, f64 column, f64 row)
{
  i32 meets = 1;
  for (i32 k = 0; k < 4; k++) meets &= s->left[k] + (s->dx[k] * row - s->dy[k] * column) >= 0;
  return meets;
}

/* Box of the bins of a grid about a cell; 1 where they are few. */
HD i32 bin_box(const f64 *corner, const i32 *across, i32 *start, i32 *end)
{
  for (i32 k = 0; k < 2; k++) {
    f64 low = corner[k], high = corner[k];
    for (i32 v = 1; v < 4; v++) bin_range(corner[2 * v + k], &low, &high);
    start[k] = bin_at(low - BIN_MARGIN, across[k] - 1), end[k] = bin_at(high + BIN_MARGIN, across[k] - 1);
  }
  return (f64)(end[0] - start[0] + 1) * (end[1] - start[1] + 1) <= BIN_FEW;
}

/* Number of bins of a large box that a cell meets; their numbers go to key. */
HD i32 bins_of_box(const f64 *corner, const i32 *across, const i32 *start, const i32 *end, i32 first, i32 *key)
{
  const i32    last[2] = {across[0] - 1, across[1] - 1};
  i32          n       = 0, rows[2];
  struct sides s;
  bin_sides(corner, start, &s);
  for (i32 column = start[0]; column <= end[0]; column++) {
    bin_rows(corner, column, last, rows);
    for (i32 row = rows[0]; row <= rows[1]; row++) {
      if (!bin_meets(&s, column - start[0], row - start[1])) continue;
      const i32 at[2] = {column, row};
      if (key) key[n] = first + bin_number(at, across);
      n++;
    }
  }
  return n;
}

/* How many bins each entry, a cell in a grid, meets; where its box has few, a bit of each of them, column by
 * column. */
#define OVERSET_MET(F)                                              \
  F(in, f64, corner, "entries,8") /* in bins of the entry's grid */ \
  F(in, i32, grid, "entries>grids")                                 \
  F(in, i32, across, "grids,2") /* bins along each axis */          \
  F(out, i32, bits, "entries")                                      \
  F(out, i32, met, "entries")
KERNEL(overset_met, OVERSET_MET, heavy)
{
  const f64 *own = corner + 8 * i;
  const i32 *of  = across + 2 * grid[i];
  i32        start[2], end[2], count = 0, found = 0;
  if (!bin_box(own, of, start, end)) {
    count = bins_of_box(own, of, start, end, 0, 0);
  } else if (start[0] == end[0] && start[1] == end[1]) {
    count = found = 1;
  } else {
    struct sides sides;
    bin_sides(own, start, &sides);
    for (i32 column = 0, bit = 1; column <= end[0] - start[0]; column++)
      for (i32 row = 0; row <= end[1] - start[1]; row++, bit <<= 1)
        if (bin_meets(&sides, column, row)) found |= bit, count++;
  }
  bits[i] = found, met[i] = count;
}

/* The bins that each entry meets. */
#define OVERSET_BINS(F)                                            \
  F(in, f64, corner, "entries,8")                                  \
  F(in, i32, grid, "entries>grids")                                \
  F(in, i32, across, "grids,2")                                    \
  F(in, i32, first, "grids") /* number of the first bin of each */ \
  F(in, i32, bits, "entries")                                      \
  F(in, i32, begin, "entries+1>>pairs")                            \
  F(upd, i32, entry, "pairs")                                      \
  F(upd, i32, key, "pairs")
KERNEL(overset_bins, OVERSET_BINS, heavy)
{
  const f64 *own = corner + 8 * i;
  const i32 *of = across + 2 * grid[i], begins = first[grid[i]];
  i32        start[2], end[2], *to = key + begin[i];
  for (i32 pair = begin[i]; pair < begin[i + 1]; pair++) entry[pair] = i;
  if (!bin_box(own, of, start, end)) {
    bins_of_box(own, of, start, end, begins, to);
    return;
  }
  for (i32 column = start[0], bit = 1; column <= end[0]; column++)
    for (i32 row = start[1]; row <= end[1]; row++, bit <<= 1) {
      const i32 at[2] = {column, row};
      if (bits[i] & bit) *to++ = begins + bin_number(at, of);
    }
}

/* Corners of cells in bins of grids within bins. */
#define OVERSET_PART(F)                                                  \
  F(in, i32, entry, "parts>entries")                                     \
  F(in, i32, key, "parts>bins")                                          \
  F(in, f64, last, "entries,8") /* corners in bins of the grid before */ \
  F(in, i32, grid, "entries>grids")                                      \
  F(in, i32, across, "grids,2")                                          \
  F(in, i32, first, "grids")                                             \
  F(in, i32, size, "bins") /* bins across each */                        \
  F(out, f64, corner, "parts,8")
KERNEL(overset_part, OVERSET_PART, indirect)
{
  const i32 e = entry[i], g = grid[e], bin = key[i] - first[g];
  const f64 at[2] = {(f64)(bin % across[2 * g]), (f64)(bin / across[2 * g])};
  for (i32 k = 0; k < 8; k++) corner[8 * i + k] = (last[8 * e + k] - at[k & 1]) * size[key[i]];
}
