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

/* Place of a node in space. */
HD struct vec3 place_of(const f64 *x, i32 i)
{
  return vec3_of(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

/* LOAD and PUT: a record of `count` numbers that stands at a multiple of `count`, in the widest pieces. A
 * store of its own for each number would be a write of its own.                                  */
#ifndef __CUDACC__
#define LOAD(count, from, to) \
  for (i32 k_ = 0; k_ < (count); k_++) (to)[k_] = (from)[k_]
#define PUT(count, to, from) LOAD(count, from, to)
#else
#define LOAD(count, from, to) load_record<count>(from, to)
#define PUT(count, to, from)  put_record<count>(to, from)
HD void load4(const real *from, real *to)
{
#ifdef REAL_IS_F32
  const float4 v = *(const float4 *)from;
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
#else
  const double2 a = *(const double2 *)from, b = *((const double2 *)from + 1);
  to[0] = a.x, to[1] = a.y, to[2] = b.x, to[3] = b.y;
#endif
}

HD void put4(real *to, const real *from)
{
#ifdef REAL_IS_F32
  *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
#else
  *(double2 *)to        = make_double2(from[0], from[1]);
  *((double2 *)to + 1)  = make_double2(from[2], from[3]);
#endif
}

HD void load2(const real *from, real *to)
{
#ifdef REAL_IS_F32
  const float2 v = *(const float2 *)from;
#else
  const double2 v       = *(const double2 *)from;
#endif
  to[0] = v.x, to[1] = v.y;
}

HD void put2(real *to, const real *from)
{
#ifdef REAL_IS_F32
  *(float2 *)to = make_float2(from[0], from[1]);
#else
  *(double2 *)to        = make_double2(from[0], from[1]);
#endif
}

/* An odd count: in float64 in aligned pairs, too, the first of which may begin one number before it and the
 * last end one behind it (memory is given out in multiples of 16 bytes): half as many loads, each of
 * which touches a line of its own per thread.                                                    */
template <int count>
HD void load_odd(const real *from, real *to)
{
#ifdef REAL_IS_F32
  for (int k = 0; k < count; k++) to[k] = from[k];
#else
  const size_t   before = (size_t)from / sizeof *from % 2;
  const double2 *pairs  = (const double2 *)(from - before);
  double2        v[count / 2 + 1];
  for (int k = 0; k <= count / 2; k++) v[k] = pairs[k];
  for (int k = 0; k < count; k++)
    to[k] = k % 2 ? before ? v[(k + 1) / 2].x : v[k / 2].y : before ? v[k / 2].y : v[k / 2].x;
#endif
}

/* Writing alike, with the first or the last number alone. */
template <int count>
HD void put_odd(real *to, const real *from)
{
#ifdef REAL_IS_F32
  for (int k = 0; k < count; k++) to[k] = from[k];
#else
  const bool before = (size_t)to / sizeof *to % 2;
  double2   *pairs  = (double2 *)(to + before);
  for (int k = 0; k < count / 2; k++)
    pairs[k] = before ? make_double2(from[2 * k + 1], from[2 * k + 2]) : make_double2(from[2 * k], from[2 * k + 1]);
  to[before ? 0 : count - 1] = before ? from[0] : from[count - 1];
#endif
}

template <int count>
HD void load_record(const real *from, real *to)
{
  if constexpr (count % 4 == 0) {
    load4(from, to);
    if constexpr (count > 4) load_record<count - 4>(from + 4, to + 4);
  } else if constexpr (count == 2) {
    load2(from, to);
  } else if constexpr (count % 2 == 0) {
    for (int k = 0; k < count; k += 2) load2(from + k, to + k);
  } else {
    load_odd<count>(from, to);
  }
}

template <int count>
HD void put_record(real *to, const real *from)
{
  if constexpr (count % 4 == 0) {
    put4(to, from);
    if constexpr (count > 4) put_record<count - 4>(to + 4, from + 4);
  } else if constexpr (count == 2) {
    put2(to, from);
  } else if constexpr (count % 2 == 0) {
    for (int k = 0; k < count; k += 2) put2(to + k, from + k);
  } else {
    put_odd<count>(to, from);
  }
}
#endif

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

HD void put4_f64(f64 *to, const f64 *from)
{
#ifdef __CUDACC__
  *(double2 *)to       = make_double2(from[0], from[1]);
  *((double2 *)to + 1) = make_double2(from[2], from[3]);
#else
  for (i32 k = 0; k < 4; k++) to[k] = from[k];
#endif
}

/* Two words, four words. */
HD void load2_words(const i32 *from, i32 *to)
{
#ifdef __CUDACC__
  const int2 v = *(const int2 *)from;
  to[0] = v.x, to[1] = v.y;
#else
  to[0] = from[0], to[1] = from[1];
#endif
}

HD void load4_words(const i32 *from, uint32_t *to)
{
#ifdef __CUDACC__
  const int4 v = *(const int4 *)from;
  to[0] = (uint32_t)v.x, to[1] = (uint32_t)v.y, to[2] = (uint32_t)v.z, to[3] = (uint32_t)v.w;
#else
  for (i32 k = 0; k < 4; k++) to[k] = (uint32_t)from[k];
#endif
}

HD void put4_words(i32 *to, const uint32_t *from)
{
#ifdef __CUDACC__
  *(int4 *)to = make_int4((int)from[0], (int)from[1], (int)from[2], (int)from[3]);
#else
  for (i32 k = 0; k < 4; k++) to[k] = (i32)from[k];
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
