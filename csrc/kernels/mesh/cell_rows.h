/* cell_rows.h - rows of a matrix of nodes that is made of one of each cell: a row has the nodes that share a cell with
 * its own, and that itself, in order.  Made on the host, of one mesh.                               */

#define CELL_ROWS(F)                               \
  F(in, i32, offsets, "nodes+1>>corner_entries")   \
  F(in, i32, cell, "corner_entries>cells")         \
  F(in, i32, cell_starts, "cells+1>>cell_corners") \
  F(in, i32, cell_nodes, "cell_corners>nodes")

/* 1 where corner `at` of a node's cells, of entry e, has not stood in the list before. */
HD i32 cell_row_new(i32 first, i32 e, i32 at CELL_ROWS(PARAM))
{
  (void)offsets;
  for (i32 b = first; b <= e; b++)
    for (i32 a = cell_starts[cell[b]]; a < (b < e ? cell_starts[cell[b] + 1] : at); a++)
      if (cell_nodes[a] == cell_nodes[at]) return 0;
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
    for (i32 at = cell_starts[cell[e]]; at < cell_starts[cell[e] + 1]; at++)
      found += cell_row_new(offsets[i], e, at CELL_ROWS(NAME));
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
    for (i32 k = cell_starts[cell[e]]; k < cell_starts[cell[e] + 1]; k++) {
      const i32 j  = cell_nodes[k];
      i32       at = end;
      while (at > 0 && own[at - 1] > j) at--;
      if (at > 0 && own[at - 1] == j) continue;
      for (i32 b = end++; b > at; b--) own[b] = own[b - 1];
      own[at] = j;
    }
}

/* Sums of the cells' entries, by the number of the cell. */
#define CELL_ROW_SUMS(F)                                                     \
  CELL_ROWS(F)                                                               \
  F(in, i32, corner, "corner_entries")                                       \
  F(in, i32, row, "nodes+1>>shared")                                         \
  F(in, i32, column, "shared")                                               \
  F(in, i32, squares, "cells+1>>given_entries")                              \
  F(in, f64, given, "given_entries") /* to the row of each corner in turn */ \
  F(upd, f64, entries, "shared")
KERNEL(cell_row_sums, CELL_ROW_SUMS, indirect)
{
  for (i32 at = row[i]; at < row[i + 1]; at++) entries[at] = -0.0; /* to which -0 is added without a change */
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    const i32 c = cell[e], first = cell_starts[c], count = cell_starts[c + 1] - first;
    for (i32 k = 0; k < count; k++) {
      i32 at = row[i];
      while (column[at] != cell_nodes[first + k]) at++;
      entries[at] += given[squares[c] + count * corner[e] + k];
    }
  }
}
