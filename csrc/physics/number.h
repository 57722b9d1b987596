/* number.h - reciprocals, roots, and the larger of two numbers, as fast as a device has them. */
#pragma once

/* 1 / x to the last bit or the one before: on a device the hardware's 20 bits and two steps of
 * Newton, a third of the instructions of a division and no branch.                             */
HD f64 reciprocal_f64(f64 x)
{
#ifdef __CUDACC__
  f64 r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  r = fma(fma(-x, r, 1.0), r, r);
  return fma(fma(-x, r, 1.0), r, r);
#else
  return 1 / x;
#endif
}

HD real reciprocal(real x)
{
#ifdef REAL_IS_F32
  return R(1) / x;
#else
  return reciprocal_f64(x);
#endif
}

/* fmax and fmin but for what is not a number, without the call that gcc makes of them. */
HD real larger(real a, real b)
{
  return a > b ? a : b;
}

HD real smaller(real a, real b)
{
  return a < b ? a : b;
}

/* 1 / sqrt(x), and sqrt(x) of what is not zero, by the same. */
HD real reciprocal_root(real x)
{
#if defined(__CUDACC__) && !defined(REAL_IS_F32)
  f64 r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  const f64 half = -0.5 * x;
  r              = fma(fma(half * r, r, 0.5), r, r);
  return fma(fma(half * r, r, 0.5), r, r);
#elif defined(__CUDACC__)
  return rsqrt(x);
#else
  return R(1) / sqrt(x);
#endif
}

HD real root(real x)
{
#if defined(__CUDACC__) && !defined(REAL_IS_F32)
  return x * reciprocal_root(x);
#else
  return sqrt(x);
#endif
}
