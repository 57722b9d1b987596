/* vector.h - vectors of one dimension, as DIM numbers side by side. */

HD real N(vec_dot)(const real *a, const real *b)
{
  real s = a[0] * b[0];
  for (i32 k = 1; k < DIM; k++) s += a[k] * b[k];
  return s;
}

/* Takes from a vector what lies along a unit vector. */
HD void N(along)(const real *unit, real *to)
{
  const real across = N(vec_dot)(to, unit);
  for (i32 k = 0; k < DIM; k++) to[k] -= across * unit[k];
}
