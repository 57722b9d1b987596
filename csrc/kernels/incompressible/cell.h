/* cell.h - gradients in the cells and at the nodes (docs/theory.md, eq. 7.1, 7.2): of velocities, du_k/dx,
 * du_k/dy side by side, and of a pressure.  Values over chord. */
#define ND TIMES(DIM, DIM)

#define INC_CELL(F)                   \
  F(in, i32, member, "cells>members") \
  F(in, i32, active, "members")       \
  CELL_SHAPE(F)
/* Whether a cell's gradient is asked: at one of its corners only is not 0, or there is no only, and all are. */
HD i32 N(cell_asked)(const i32 *only, const i32 *k, i32 corners)
{
  i32 asked = !only;
  for (i32 v = 0; v < corners && !asked; v++) asked = k[v] >= 0 && only[k[v]];
  return asked;
}

#define INC_CELL_VELOCITY(F)                           \
  INC_CELL(F)                                          \
  F(opt_near, i32, only, "nodes") /* see cell_asked */ \
  F(near, real, u, "nodes," STR(DIM))                  \
  F(out, real, slope, "cells," STR(ND))
KERNEL(N(inc_cell_velocity), INC_CELL_VELOCITY, indirect)
{
  if (!active[member[i]] || !N(cell_asked)(only, CELL_OF(i))) return;
  struct N(ways) w;
  N(cell_ways)(x, CELL_OF(i), &w);
  for (i32 c = 0; c < DIM; c++)
    for (i32 d = 0; d < DIM; d++) {
      f64 sum = 0;
      for (i32 v = 0; v < WAYS_OF(w); v++)
        sum += w.n[DIM * v + d] * (f64)(u[DIM * w.to[v] + c] - u[DIM * w.from[v] + c]);
      slope[ND * i + DIM * c + d] = (real)sum;
    }
}

#define INC_CELL_PRESSURE(F)      \
  INC_CELL(F)                     \
  F(opt_near, i32, only, "nodes") \
  F(near, f64, p, "nodes")        \
  F(out, real, slope, "cells," STR(DIM))
KERNEL(N(inc_cell_pressure), INC_CELL_PRESSURE, indirect)
{
  if (!active[member[i]] || !N(cell_asked)(only, CELL_OF(i))) return;
  struct N(ways) w;
  N(cell_ways)(x, CELL_OF(i), &w);
  for (i32 d = 0; d < DIM; d++) {
    f64 sum = 0;
    for (i32 v = 0; v < WAYS_OF(w); v++) sum += w.n[DIM * v + d] * (p[w.to[v]] - p[w.from[v]]);
    slope[DIM * i + d] = (real)sum;
  }
}

/* Shares that the cells of a node have in its dual. */
#define INC_CORNERS(F)                           \
  F(in, i32, offsets, "nodes+1>>corner_entries") \
  F(in, i32, cell, "corner_entries>cells")
#define INC_PORTIONS(F)                \
  INC_CORNERS(F)                       \
  CELL_SHAPE(F)                        \
  F(in, i32, corner, "corner_entries") \
  F(in, f64, V, "nodes")               \
  F(upd, real, portion, "corner_entries")
KERNEL(N(inc_portions), INC_PORTIONS, indirect)
{
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++)
    portion[e] = (real)(N(corner_part)(x, CELL_OF(cell[e]), corner[e]) / V[i]);
}

#define INC_NODE(F)                   \
  INC_CORNERS(F)                      \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, portion, "corner_entries")
#define INC_NODE_VELOCITY(F)           \
  INC_NODE(F)                          \
  F(opt, i32, only, "nodes")           \
  F(in, real, slope, "cells," STR(ND)) \
  F(out, real, grad, "nodes," STR(ND))
LANES(N(inc_node_velocity), INC_NODE_VELOCITY, indirect, ND)
{
  if (!active[member[i]] || (only && !only[i])) return;
  real s[WIDTH(ND)];
  for (i32 k = 0; k < WIDTH(ND); k++) s[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++)
    for (i32 k = 0; k < WIDTH(ND); k++) s[k] += portion[e] * slope[ND * cell[e] + lane + k];
  for (i32 k = 0; k < WIDTH(ND); k++) grad[ND * i + lane + k] = s[k];
}

#define INC_NODE_PRESSURE(F)            \
  INC_NODE(F)                           \
  F(opt, i32, only, "nodes")            \
  F(in, real, slope, "cells," STR(DIM)) \
  F(out, real, grad, "nodes," STR(DIM))
LANES(N(inc_node_pressure), INC_NODE_PRESSURE, indirect, DIM)
{
  if (!active[member[i]] || (only && !only[i])) return;
  real s[WIDTH(DIM)];
  for (i32 k = 0; k < WIDTH(DIM); k++) s[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++)
    for (i32 k = 0; k < WIDTH(DIM); k++) s[k] += portion[e] * slope[DIM * cell[e] + lane + k];
  for (i32 k = 0; k < WIDTH(DIM); k++) grad[DIM * i + lane + k] = s[k];
}
