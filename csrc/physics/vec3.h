/* vec3.h - geometry in space in float64 from local differences only, as vec2.h [chord]. */
#pragma once

struct vec3 {
  f64 x, y, z;
};

HD struct vec3 vec3_of(f64 x, f64 y, f64 z)
{
  struct vec3 v;
  v.x = x, v.y = y, v.z = z;
  return v;
}

HD struct vec3 vec3_minus(struct vec3 a, struct vec3 b)
{
  return vec3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

HD struct vec3 vec3_plus(struct vec3 a, struct vec3 b)
{
  return vec3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

HD struct vec3 vec3_times(f64 f, struct vec3 a)
{
  return vec3_of(f * a.x, f * a.y, f * a.z);
}

HD struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
  return vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

HD f64 vec3_dot(struct vec3 a, struct vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Volume swept by a triangle whose corners move linearly: sides e and f from its first corner before and
 * after, `way` the sum of its corners' displacements (theory eq. 2.12b).                         */
HD f64 triangle_sweep(struct vec3 e0, struct vec3 f0, struct vec3 e1, struct vec3 f1, struct vec3 way)
{
  const struct vec3 mean = vec3_cross(vec3_plus(e0, e1), vec3_plus(f0, f1)),
                    turn = vec3_cross(vec3_minus(e1, e0), vec3_minus(f1, f0));
  return vec3_dot(way, vec3_plus(mean, vec3_times(1.0 / 3.0, turn))) / 24;
}
