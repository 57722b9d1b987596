/* holes.h - multigrid of a scalar matrix made without holes, in rows that are field alone
 * (docs/theory.md, section 7.6).  A level's diagonal is `unit` of the units of multigrid.h; what is added
 * to it, pen, holds the solution at zero in holes.  keep: unit / (unit + pen), by which rows with the
 * penalty are scaled anew (scalar.h); 0 where a row is left out, as on the finest level all are that are not
 * field.  Both are made anew with the status. */

#define HOLES_FINEST(F)              \
  F(in, i32, member, "rows>members") \
  F(in, i32, active, "members")      \
  F(in, i32, status, "rows")         \
  F(in, f32, unit, "rows")           \
  F(out, f32, pen, "rows")           \
  F(out, f32, keep, "rows")
#define HOLES_COARSER(F)                                 \
  F(in, i32, member, "rows>members")                     \
  F(in, i32, active, "members")                          \
  F(in, i32, like, "rows>table")                         \
  F(in, i32, row, "table+1>>blocks")                     \
  F(in, i32, column, "blocks")                           \
  F(in, i32, first, "members>fine")                      \
  F(in, f32, R, "blocks,1")                              \
  F(in, f32, above, "fine") /* pen of the finer level */ \
  F(in, f32, unit, "rows")                               \
  F(out, f32, pen, "rows")                               \
  F(out, f32, keep, "rows")
/* Dense matrices of coarsest levels, one after the other. */
#define HOLES_DENSE(F)                                                         \
  F(in, i32, level, "dense_entries>rows") /* row of an entry */                \
  F(in, i32, member, "rows>members")                                           \
  F(in, i32, active, "members")                                                \
  F(in, i32, place, "rows")                /* number of a row in its matrix */ \
  F(in, i32, order, "rows")                /* rows of that matrix, */          \
  F(in, i32, corner, "rows>dense_entries") /* and its first entry */           \
  F(in, f64, dense, "dense_entries,1")                                         \
  F(in, f32, pen, "rows")
#define HOLES_PENALISED(F) HOLES_DENSE(F) F(out, f64, to, "dense_entries,1")
#define HOLES_PIVOT(F)                \
  HOLES_DENSE(F)                      \
  F(val, i32, k, "")                  \
  F(val, f64, least, "")              \
  F(in, f64, from, "dense_entries,1") \
  F(out, f64, to, "dense_entries,1")

/* Rows of the finest level that are not field are left out; their diagonal is the penalty of the next. */
KERNEL(holes_finest, HOLES_FINEST, direct)
{
  if (!active[member[i]]) return;
  const i32 field = status[i] == FIELD;
  pen[i]          = field ? 0 : unit[i];
  keep[i]         = field ? 1 : 0;
}

/* pen = |R| times that of the finer level. */
KERNEL(holes_coarser, HOLES_COARSER, heavy)
{
  if (!active[member[i]]) return;
  const f32 *from = above + first[member[i]];
  f32        s    = 0;
  for (i32 c = row[like[i]]; c < row[like[i] + 1]; c++) s += (f32)fabs(R[c]) * from[column[c]];
  pen[i]  = s;
  keep[i] = unit[i] > 0 ? unit[i] / (unit[i] + s) : 0;
}

/* The coarsest matrix with its penalty. */
KERNEL(holes_penalised, HOLES_PENALISED, direct)
{
  const i32 row = level[i];
  if (!active[member[row]]) return;
  to[i] = dense[i] + (i == corner[row] + place[row] * (order[row] + 1) ? (f64)pen[row] : 0);
}

/* Step k of Gauss-Jordan by rows; a pivot below `least` of its diagonal is left out, as on the host. */
KERNEL(holes_pivot, HOLES_PIVOT, indirect)
{
  const i32 row = level[i], n_ = order[row];
  if (!active[member[row]]) return;
  const i32 at = corner[row], a = place[row], b = i - at - n_ * a;
  f64       found = from[i];
  if (k < n_) {
    const i32 own   = at + k * (n_ + 1);
    const f64 pivot = from[own], size = dense[own] + (f64)pen[row - a + k];
    const f64 across = from[at + n_ * k + b] / pivot, down = from[at + n_ * a + k];
    if (!(pivot > least * size))
      found = a == k || b == k ? 0 : found;
    else if (a == k)
      found = b == k ? 1 / pivot : across;
    else
      found = b == k ? -down / pivot : found - down * across;
  }
  to[i] = found;
}
