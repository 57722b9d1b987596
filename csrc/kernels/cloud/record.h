/* record.h - what a sweep reads of a satellite (lusgs_space.h) in one sector of a device's memory, 32 bytes,
 * as it is of the way to the solution alone: du with 31 bits of fraction (in float32, rounding would part
 * the residuals of two devices by 1e-7 in 50 pseudo-steps; so by 1e-10), velocity and speed of sound,
 * the waves, with eight.
 *   words 0 to 4   sign, exponent and 23 bits of each du;   word 5 and a byte: the next eight
 *   the other 56 bits: sign, exponent from 2^-15 on and fraction of the waves
 * Numbers in the units of gas.h.                                                                 */
#pragma once

HD uint32_t bits_of(f32 x)
{
#ifdef __CUDACC__
  return __float_as_uint(x);
#else
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

HD f32 float_of(uint32_t bits)
{
#ifdef __CUDACC__
  return __uint_as_float(bits);
#else
  f32 x;
  memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

HD uint64_t bits_of_f64(f64 x)
{
#ifdef __CUDACC__
  return (uint64_t)__double_as_longlong(x);
#else
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

HD f64 f64_of(uint64_t bits)
{
#ifdef __CUDACC__
  return __longlong_as_double((long long)bits);
#else
  f64 x;
  memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

HD uint32_t record_bits(real x, uint32_t *rest)
{
  /* less than float32 holds in full counts as nothing; to convert it would stop a CPU, too */
  const uint64_t u = bits_of_f64(fabs((f64)x) < 0x1p-126 ? 0 : (f64)x) + (1u << 20);
  *rest            = (uint32_t)u >> 21 & 0xffu;
  return bits_of((f32)f64_of(u & ~(uint64_t)0x1fffffff));
}

HD real record_number(uint32_t word, uint32_t rest)
{
  return (real)f64_of(bits_of_f64((f64)float_of(word)) | (rest & 0xffu) << 21);
}

HD uint32_t record_wave_bits(real x)
{
  const uint32_t bits = bits_of((f32)(fabs(x) < R(0x1p-16) ? 0 : x)) + (1u << 14);
  const i32      size = (i32)((bits & 0x7fffffffu) >> 15) - (112 << 8);
  return bits >> 31 << 13 | (uint32_t)(size < 0 ? 0 : size > 0x1fff ? 0x1fff : size);
}

HD real record_wave(uint32_t bits)
{
  const uint32_t size = bits & 0x1fffu;
  return size ? (real)float_of((bits & 0x2000u) << 18 | (size + (112u << 8)) << 15) : 0;
}

/* Words 6 and 7 hold the waves, but for a byte. */
HD void record_put_waves(const real *v, real sound, uint32_t *words)
{
  const uint32_t a = record_wave_bits(v[0]), b = record_wave_bits(v[1]), c = record_wave_bits(v[2]);
  words[6] = a << 8 | b << 22;
  words[7] = b >> 10 | c << 4 | record_wave_bits(sound) << 18;
}

HD void record_waves(const uint32_t *words, real *wave)
{
  wave[0] = record_wave(words[6] >> 8 & 0x3fffu);
  wave[1] = record_wave(words[6] >> 22 | (words[7] & 0xfu) << 10);
  wave[2] = record_wave(words[7] >> 4 & 0x3fffu);
  wave[3] = record_wave(words[7] >> 18);
}

HD void record_put(const real *du, uint32_t *words, i32 *to)
{
  uint32_t rest[5];
  for (i32 k = 0; k < 5; k++) words[k] = record_bits(du[k], rest + k);
  words[5] = rest[0] | rest[1] << 8 | rest[2] << 16 | rest[3] << 24;
  words[6] = (words[6] & 0xffffff00u) | rest[4];
  put4_words(to, words), put4_words(to + 4, words + 4);
}

HD void record_du(const uint32_t *words, real *du)
{
  for (i32 k = 0; k < 4; k++) du[k] = record_number(words[k], words[5] >> 8 * k);
  du[4] = record_number(words[4], words[6]);
}

HD void record_load(const i32 *from, uint32_t *words)
{
  load4_words(from, words), load4_words(from + 4, words + 4);
}
