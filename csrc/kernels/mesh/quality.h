/* quality.h - how good the cells of a plane mesh are.  Areas [chord^2], angles [rad]. */

/* Worst cell of a group: -(least area [chord^2]), -(least angle [rad]). */
#define CELL_QUALITY(F)                  \
  F(near, f64, x, "nodes,2")             \
  F(in, i32, corners, "cells,4>nodes?")  \
  F(in, i32, offsets, "groups+1>>cells") \
  F(out, f64, sums, "groups,2")
REDUCE(cell_quality, CELL_QUALITY, max, 2)
{
  const i32 *k = corners + 4 * i, m = k[3] < 0 ? 3 : 4;
  f64        area = 0;
  for (i32 v = 0; v < m; v++) {
    const struct vec2 a = point(x, k[v]), b = minus(point(x, k[(v + 1) % m]), a),
                      c = minus(point(x, k[(v + m - 1) % m]), a);
    if (m == 4 || v == 0) area += (m == 4 ? 0.25 : 0.5) * cross(b, c);
    s[1] = OP_max(s[1], -atan2(cross(b, c), dot(b, c)));
  }
  s[0] = OP_max(s[0], -area);
}
