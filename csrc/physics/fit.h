/* fit.h - weighted least squares about a point, weights |d|^-2 on meshes (docs/theory.md, section
 * 2.2) and |d|^-1 on clouds (docs/meshless.md, eq. M.1), and states as a thread holds them; once per
 * dimension.  Symmetric matrices are stored by rows from
 * the diagonal on: (xx, xy, yy), or (xx, xy, xz, yy, yz, zz).                                   */

/* The way from a place to point j, from a difference in float64.  Places are not read in pairs as
 * states are: a device is no faster with two wide loads than with three.                        */
HD void N(fit_from)(const f64 *here, const f64 *x, i32 j, real *d)
{
#if DIM == 2
  const struct vec2 there = point(x, j);
  d[0] = (real)(there.x - here[0]), d[1] = (real)(there.y - here[1]);
#else
  for (i32 k = 0; k < DIM; k++) d[k] = (real)(x[DIM * j + k] - here[k]);
#endif
}

/* ... from point i. */
HD void N(fit_apart)(const f64 *x, i32 i, i32 j, real *d)
{
  N(fit_from)(x + DIM * i, x, j, d);
}

/* Weight of a neighbour. */
HD real N(fit_weight)(const real *d, i32 squared)
{
  const real dd = N(vec_dot)(d, d);
  return squared ? reciprocal(dd) : reciprocal_root(dd);
}

/* sum w d d^T over the neighbours of a node; weights squared, |d|^-2, or |d|^-1. */
HD void N(fit_matrix)(i32 i, const f64 *x, const i32 *offsets, const i32 *neighbour, i32 squared, f64 *sum)
{
  for (i32 k = 0; k < NS; k++) sum[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    f64 d[DIM], size = 0;
    for (i32 k = 0; k < DIM; k++) {
      d[k] = x[DIM * neighbour[e] + k] - x[DIM * i + k];
      size += d[k] * d[k];
    }
    const f64 w = squared ? 1 / size : 1 / sqrt(size);
    for (i32 k = 0, at = 0; k < DIM; k++)
      for (i32 l = k; l < DIM; l++) sum[at++] += w * d[k] * d[l];
  }
}

/* The mean of a matrix and its mirror image by a unit normal: nothing couples across and along. */
HD void N(fit_mirror)(const f64 *unit, f64 *sum)
{
  f64 full[DIM][DIM], row[DIM], both = 0;
  for (i32 k = 0, at = 0; k < DIM; k++)
    for (i32 l = k; l < DIM; l++) full[k][l] = full[l][k] = sum[at++];
  for (i32 k = 0; k < DIM; k++) {
    row[k] = 0;
    for (i32 l = 0; l < DIM; l++) row[k] += full[k][l] * unit[l];
    both += row[k] * unit[k];
  }
  for (i32 k = 0, at = 0; k < DIM; k++)
    for (i32 l = k; l < DIM; l++, at++) sum[at] += 2 * both * unit[k] * unit[l] - row[k] * unit[l] - unit[k] * row[l];
}

HD void N(fit_invert)(const f64 *m, real *inverse)
{
#if DIM == 2
  const f64 det = m[0] * m[2] - m[1] * m[1];
  inverse[0]    = (real)(m[2] / det);
  inverse[1]    = (real)(-m[1] / det);
  inverse[2]    = (real)(m[0] / det);
#else
  const f64 xx = m[3] * m[5] - m[4] * m[4], xy = m[2] * m[4] - m[1] * m[5], xz = m[1] * m[4] - m[2] * m[3];
  const f64 per = 1 / (m[0] * xx + m[1] * xy + m[2] * xz);
  inverse[0]    = (real)(per * xx);
  inverse[1]    = (real)(per * xy);
  inverse[2]    = (real)(per * xz);
  inverse[3]    = (real)(per * (m[0] * m[5] - m[2] * m[2]));
  inverse[4]    = (real)(per * (m[1] * m[2] - m[0] * m[4]));
  inverse[5]    = (real)(per * (m[0] * m[3] - m[1] * m[1]));
#endif
}

/* Takes from a vector what lies along a unit vector. */
HD void N(along)(const real *unit, real *to)
{
  const real across = N(vec_dot)(to, unit);
  for (i32 k = 0; k < DIM; k++) to[k] -= across * unit[k];
}

/* A symmetric matrix times a vector. */
HD void N(fit_apply)(const real *m, const real *d, real *to)
{
#if DIM == 2
  to[0] = m[0] * d[0] + m[1] * d[1];
  to[1] = m[1] * d[0] + m[2] * d[1];
#else
  to[0]         = m[0] * d[0] + m[1] * d[1] + m[2] * d[2];
  to[1]         = m[1] * d[0] + m[3] * d[1] + m[4] * d[2];
  to[2]         = m[2] * d[0] + m[4] * d[1] + m[5] * d[2];
#endif
}

HD void N(state_load)(const real *from, real *to)
{
#if DIM == 2
  load4(from, to);
#else
  load5(from, to);
#endif
}

HD void N(state_put)(real *to, const real *from)
{
#if DIM == 2
  put4(to, from);
#else
  put5(to, from);
#endif
}

/* Gradients of a point: dq_k/dx, dq_k/dy (, dq_k/dz) side by side. */
HD void N(slope_load)(const real *from, real *to)
{
#if DIM == 2
  load4(from, to), load4(from + 4, to + 4);
#else
  LOAD_ODD(NG, from, to);
#endif
}
