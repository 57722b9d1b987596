/* vec2.h - plane geometry in float64 from local differences only [chord]: absolute coordinates would
 * cost four digits on the thin cells at a trailing edge.                                         */
#pragma once

struct vec2 {
  f64 x, y;
};

HD struct vec2 vec2_of(f64 x, f64 y)
{
  struct vec2 v;
  v.x = x;
  v.y = y;
  return v;
}

HD struct vec2 minus(struct vec2 a, struct vec2 b)
{
  return vec2_of(a.x - b.x, a.y - b.y);
}

HD f64 cross(struct vec2 a, struct vec2 b)
{
  return a.x * b.y - a.y * b.x;
}

HD f64 dot(struct vec2 a, struct vec2 b)
{
  return a.x * b.x + a.y * b.y;
}

/* Area swept by a segment that moves linearly: mean of its two normals (of t0 and t1, turned
 * right) times the displacement of its middle (theory eq. 2.12).                              */
HD f64 segment_sweep(struct vec2 t0, struct vec2 t1, struct vec2 middle)
{
  return 0.5 * ((t0.y + t1.y) * middle.x - (t0.x + t1.x) * middle.y);
}
