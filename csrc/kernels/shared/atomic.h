/* atomic.h - numbers that several threads change at once: least and greatest values.  */

/* The bits of floating-point numbers that are no NaN order as those of integers do, of negative ones the other
 * way round as unsigned integers: a device has the least and greatest of these at once.          */
#ifdef __CUDACC__
#ifdef REAL_IS_F32
#define SIGNED(p)        ((int *)(p))
#define UNSIGNED(p)      ((unsigned *)(p))
#define SIGNED_BITS(x)   __float_as_int(x)
#define UNSIGNED_BITS(x) __float_as_uint(x)
#else
#define SIGNED(p)        ((long long *)(p))
#define UNSIGNED(p)      ((unsigned long long *)(p))
#define SIGNED_BITS(x)   __double_as_longlong(x)
#define UNSIGNED_BITS(x) ((unsigned long long)__double_as_longlong(x))
#endif
#else
HD void exchange_if(real *to, real x, i32 greatest)
{
  real old;
  __atomic_load(to, &old, __ATOMIC_RELAXED);
  while ((greatest ? x > old : x < old) &&
         !__atomic_compare_exchange(to, &old, &x, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
#endif

HD void keep_least(real *to, real x)
{
#ifdef __CUDACC__
  if (signbit(x))
    atomicMax(UNSIGNED(to), UNSIGNED_BITS(x));
  else
    atomicMin(SIGNED(to), SIGNED_BITS(x));
#else
  exchange_if(to, x, 0);
#endif
}

HD void keep_greatest(real *to, real x)
{
#ifdef __CUDACC__
  if (signbit(x))
    atomicMin(UNSIGNED(to), UNSIGNED_BITS(x));
  else
    atomicMax(SIGNED(to), SIGNED_BITS(x));
#else
  exchange_if(to, x, 1);
#endif
}
