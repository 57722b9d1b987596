/* vector.h - vectors of one dimension, as DIM numbers side by side. */

HD real N(vec_dot)(const real *a, const real *b)
{
  real s = a[0] * b[0];
  for (i32 k = 1; k < DIM; k++) s += a[k] * b[k];
  return s;
}

/* to += f a, written out: nvcc unrolls a loop around it as far as its body looks short. */
HD void N(vec_add)(real *to, real f, const real *a)
{
  to[0] += f * a[0], to[1] += f * a[1];
#if DIM == 3
  to[2] += f * a[2];
#endif
}

HD void N(vec_scale)(real f, real *to)
{
  for (i32 k = 0; k < DIM; k++) to[k] *= f;
}

/* Takes from a vector what lies along a unit vector. */
HD void N(along)(const real *unit, real *to)
{
  const real across = N(vec_dot)(to, unit);
  for (i32 k = 0; k < DIM; k++) to[k] -= across * unit[k];
}
