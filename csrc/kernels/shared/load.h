/* load.h - records of memory in as few pieces as a device can move; bind sees to it that arrays begin
 * at multiples of 16 bytes.                                                                      */
#pragma once

/* The place of point i in the plane. */
HD struct vec2 point(const f64 *x, i32 i)
{
#ifdef __CUDACC__
  const double2 v = *(const double2 *)(x + 2 * (size_t)i);
  return vec2_of(v.x, v.y);
#else
  return vec2_of(x[2 * i], x[2 * i + 1]);
#endif
}

/* A record of an odd count of numbers.  In float64 a device reads it in aligned pairs, the first
 * of which may begin one number before it and the last end one behind it (memory is given out in
 * multiples of 16 bytes): half as many loads, each of which touches a line of its own per thread. */
#if defined(__CUDACC__) && !defined(REAL_IS_F32)
template <int count>
static __device__ __forceinline__ void load_odd(const f64 *from, f64 *to)
{
  const size_t   before = (size_t)from / sizeof *from % 2;
  const double2 *pairs  = (const double2 *)(from - before);
  double2        v[count / 2 + 1];
  for (int k = 0; k <= count / 2; k++) v[k] = pairs[k];
  for (int k = 0; k < count; k++)
    to[k] = k % 2 ? before ? v[(k + 1) / 2].x : v[k / 2].y : before ? v[k / 2].y : v[k / 2].x;
}

/* Writing alike, with the first or the last number alone. */
template <int count>
static __device__ __forceinline__ void put_odd(f64 *to, const f64 *from)
{
  const bool before = (size_t)to / sizeof *to % 2;
  double2   *pairs  = (double2 *)(to + before);
  for (int k = 0; k < count / 2; k++)
    pairs[k] = before ? make_double2(from[2 * k + 1], from[2 * k + 2]) : make_double2(from[2 * k], from[2 * k + 1]);
  to[before ? 0 : count - 1] = before ? from[0] : from[count - 1];
}
#define LOAD_ODD(count, from, to) load_odd<count>(from, to)
#define PUT_ODD(count, to, from)  put_odd<count>(to, from)
#else
#define LOAD_ODD(count, from, to) \
  for (i32 k_ = 0; k_ < count; k_++) (to)[k_] = (from)[k_]
#define PUT_ODD(count, to, from) LOAD_ODD(count, from, to)
#endif

HD void load5(const real *from, real *to)
{
  LOAD_ODD(5, from, to);
}

HD void put5(real *to, const real *from)
{
  PUT_ODD(5, to, from);
}

/* Four numbers at a multiple of four, in as few pieces as there are. */
HD void load4(const real *from, real *to)
{
#if defined(__CUDACC__) && defined(REAL_IS_F32)
  const float4 v = *(const float4 *)from;
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
#elif defined(__CUDACC__)
  const double2 a = *(const double2 *)from, b = *((const double2 *)from + 1);
  to[0] = a.x, to[1] = a.y, to[2] = b.x, to[3] = b.y;
#else
  for (i32 k = 0; k < 4; k++) to[k] = from[k];
#endif
}

HD void put4(real *to, const real *from)
{
#if defined(__CUDACC__) && defined(REAL_IS_F32)
  *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
#elif defined(__CUDACC__)
  *(double2 *)to       = make_double2(from[0], from[1]);
  *((double2 *)to + 1) = make_double2(from[2], from[3]);
#else
  for (i32 k = 0; k < 4; k++) to[k] = from[k];
#endif
}

/* Two numbers at a multiple of two.  A store of its own for each would be a write of its own. */
HD void put2(real *to, const real *from)
{
#if defined(__CUDACC__) && defined(REAL_IS_F32)
  *(float2 *)to = make_float2(from[0], from[1]);
#elif defined(__CUDACC__)
  *(double2 *)to       = make_double2(from[0], from[1]);
#else
  to[0] = from[0], to[1] = from[1];
#endif
}

HD void load2(const real *from, real *to)
{
#if defined(__CUDACC__) && defined(REAL_IS_F32)
  const float2 v = *(const float2 *)from;
  to[0] = v.x, to[1] = v.y;
#elif defined(__CUDACC__)
  const double2 v      = *(const double2 *)from;
  to[0] = v.x, to[1] = v.y;
#else
  to[0] = from[0], to[1] = from[1];
#endif
}

/* Four numbers of float32, whatever the precision. */
HD void load4_f32(const f32 *from, real *to)
{
#ifdef __CUDACC__
  const float4 v = *(const float4 *)from;
  to[0] = R(v.x), to[1] = R(v.y), to[2] = R(v.z), to[3] = R(v.w);
#else
  for (i32 k = 0; k < 4; k++) to[k] = R(from[k]);
#endif
}

HD void put4_f32(f32 *to, f32 a, f32 b, f32 c, f32 d)
{
#ifdef __CUDACC__
  *(float4 *)to = make_float4(a, b, c, d);
#else
  to[0] = a, to[1] = b, to[2] = c, to[3] = d;
#endif
}
