/* cells.h - cells of a plane mesh as volumes: area vectors of their edges and what these sweep (docs/theory.md,
 * eq. 2.12), areas and middles of cells.  An edge runs with the cell that S points out of on its left.
 * Coordinates, volumes and swept volumes are always float64; lengths in chords.                  */

#define FACE_NORMALS(F)             \
  F(in, f64, x, "nodes,2")          \
  F(in, i32, ends, "faces,2>nodes") \
  F(out, real, S, "faces,2") /* area vector */
KERNEL(face_normals, FACE_NORMALS, indirect)
{
  const struct vec2 t = minus(point(x, ends[2 * i + 1]), point(x, ends[2 * i]));
  S[2 * i]            = (real)t.y;
  S[2 * i + 1]        = (real)-t.x;
}

/* Area swept by an edge while its ends move linearly from x0 to x1 [chord^2]. */
#define FACE_SWEEPS(F)              \
  F(in, f64, x0, "nodes,2")         \
  F(in, f64, x1, "nodes,2")         \
  F(in, i32, ends, "faces,2>nodes") \
  F(out, f64, dV, "faces")
KERNEL(face_sweeps, FACE_SWEEPS, indirect)
{
  const i32         p = ends[2 * i], q = ends[2 * i + 1];
  const struct vec2 t0 = minus(point(x0, q), point(x0, p)), t1 = minus(point(x1, q), point(x1, p));
  const struct vec2 dp = minus(point(x1, p), point(x0, p)), dq = minus(point(x1, q), point(x0, q));
  dV[i] = segment_sweep(t0, t1, vec2_of(0.5 * (dp.x + dq.x), 0.5 * (dp.y + dq.y)));
}

/* Area of a cell, and the mean of its vertices: where its state is. */
#define CELL_VOLUMES(F)                 \
  F(in, f64, x, "nodes,2")              \
  F(in, i32, corners, "cells,4>nodes?") \
  F(in, i32, member, "cells>members")   \
  F(out, f64, V, "cells")               \
  F(out, f64, mean, "cells,2")          \
  F(inc, u64, faults, "members")
KERNEL(cell_volumes, CELL_VOLUMES, indirect)
{
  const i32        *k = corners + 4 * i, m = k[3] < 0 ? 3 : 4;
  const struct vec2 a = point(x, k[0]), g = cell_mean(x, k, a);
  f64               sum = 0;
  for (i32 v = 2; v < m; v++) sum += 0.5 * cross(minus(point(x, k[v - 1]), a), minus(point(x, k[v]), a));
  V[i]            = sum;
  mean[2 * i]     = a.x + g.x;
  mean[2 * i + 1] = a.y + g.y;
  if (!(sum > 0)) fault(&faults[member[i]], FAULT_AREA, i);
}
