/* cell_rows.h - rows of a matrix of the plane's nodes that is made of one of each cell: a row has the nodes that
 * share a cell with its own, and that itself, in order.  Made on the host, of one mesh.            */

#define CELL_ROWS(F)                             \
  F(in, i32, offsets, "nodes+1>>corner_entries") \
  F(in, i32, cell, "corner_entries>cells")       \
  F(in, i32, corners, "cells,4>nodes?")

/* 1 where a corner of a node's cells, number k of entry e, has not stood in the list before. */
HD i32 cell_row_new(const i32 *cell, const i32 *corners, i32 first, i32 e, i32 k)
{
  const i32 j = corners[4 * cell[e] + k];
  if (j < 0) return 0;
  for (i32 b = first; b <= e; b++)
    for (i32 a = 0; a < (b < e ? 4 : k); a++)
      if (corners[4 * cell[b] + a] == j) return 0;
  return 1;
}

/* How many there are in a row. */
#define CELL_ROW_COUNTS(F) \
  CELL_ROWS(F)             \
  F(out, i32, count, "nodes")
KERNEL(cell_row_counts, CELL_ROW_COUNTS, indirect)
{
  i32 found = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++)
    for (i32 k = 0; k < 4; k++) found += cell_row_new(cell, corners, offsets[i], e, k);
  count[i] = found;
}

/* The nodes of a row. */
#define CELL_ROW_COLUMNS(F)          \
  CELL_ROWS(F)                       \
  F(in, i32, row, "nodes+1>>shared") \
  F(upd, i32, found, "shared")
KERNEL(cell_row_columns, CELL_ROW_COLUMNS, indirect)
{
  i32 *own = found + row[i], end = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++)
    for (i32 k = 0; k < 4; k++) {
      const i32 j  = corners[4 * cell[e] + k];
      i32       at = end;
      while (at > 0 && own[at - 1] > j) at--;
      if (j < 0 || (at > 0 && own[at - 1] == j)) continue;
      for (i32 b = end++; b > at; b--) own[b] = own[b - 1];
      own[at] = j;
    }
}

/* Sums of the cells' entries, by the number of the cell. */
#define CELL_ROW_SUMS(F)                                     \
  CELL_ROWS(F)                                               \
  F(in, i32, corner, "corner_entries")                       \
  F(in, i32, row, "nodes+1>>shared")                         \
  F(in, i32, column, "shared")                               \
  F(in, f64, given, "cells,16") /* of each corner in turn */ \
  F(upd, f64, entries, "shared")
KERNEL(cell_row_sums, CELL_ROW_SUMS, indirect)
{
  for (i32 at = row[i]; at < row[i + 1]; at++) entries[at] = -0.0; /* to which -0 is added without a change */
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++)
    for (i32 k = 0; k < 4; k++) {
      const i32 j  = corners[4 * cell[e] + k];
      i32       at = row[i];
      if (j < 0) continue;
      while (column[at] != j) at++;
      entries[at] += given[16 * cell[e] + 4 * corner[e] + k];
    }
}
