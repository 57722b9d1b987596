/* fit.h - weighted least squares about a point, weights |d|^-2 on meshes (docs/theory.md, section
 * 2.2) and |d|^-1 on clouds (docs/meshless.md, eq. M.1); once per dimension.  Symmetric matrices are
 * stored by rows from the diagonal on: (xx, xy, yy), or (xx, xy, xz, yy, yz, zz).  d in chords.  */

/* Weight of a neighbour. */
HD real N(fit_weight)(const real *d, i32 squared)
{
  const real dd = N(vec_dot)(d, d);
  return squared ? reciprocal(dd) : reciprocal_root(dd);
}

/* Adds w d d^T to a matrix. */
HD void N(fit_add)(const f64 w, const f64 *d, f64 *sum)
{
  for (i32 k = 0, at = 0; k < DIM; k++)
    for (i32 l = k; l < DIM; l++) sum[at++] += w * d[k] * d[l];
}

/* The row that couples a unit normal n with all ways, M n; returns n . M n. */
HD f64 N(fit_across)(const f64 *m, const f64 *unit, f64 *row)
{
  f64 full[DIM][DIM], both = 0;
  for (i32 k = 0, at = 0; k < DIM; k++)
    for (i32 l = k; l < DIM; l++) full[k][l] = full[l][k] = m[at++];
  for (i32 k = 0; k < DIM; k++) {
    row[k] = 0;
    for (i32 l = 0; l < DIM; l++) row[k] += full[k][l] * unit[l];
    both += row[k] * unit[k];
  }
  return both;
}

/* The mean of a matrix and its mirror image by a unit normal: nothing couples across and along. */
HD void N(fit_mirror)(const f64 *unit, f64 *sum)
{
  f64       row[DIM];
  const f64 both = N(fit_across)(sum, unit, row);
  for (i32 k = 0, at = 0; k < DIM; k++)
    for (i32 l = k; l < DIM; l++, at++) sum[at] += 2 * both * unit[k] * unit[l] - row[k] * unit[l] - unit[k] * row[l];
}

#if DIM == 3
/* The determinant of a matrix over the cube of its trace. */
HD f64 fit_volume(const f64 *m)
{
  const f64 xx = m[3] * m[5] - m[4] * m[4], xy = m[2] * m[4] - m[1] * m[5], xz = m[1] * m[4] - m[2] * m[3];
  const f64 size = m[0] + m[3] + m[5];
  return (m[0] * xx + m[1] * xy + m[2] * xz) / (size * size * size);
}
#endif

/* True of a matrix that has no inverse but for round-off: ways on one line, in space in one plane. */
HD i32 N(fit_flat)(const f64 *m)
{
#if DIM == 2
  const f64 size = m[0] + m[2];
  return !(m[0] * m[2] - m[1] * m[1] > 1e-13 * size * size);
#else
  return !(fit_volume(m) > 1e-19);
#endif
}

/* True of a matrix of unit ways, weights |d|^-2, that in space lie within some 1e-5 of one plane: the slope across is
 * a difference over next to nothing, and grows without bounds as a mesh that moves comes flat. */
HD i32 N(fit_level)(const f64 *m)
{
#if DIM == 2
  return N(fit_flat)(m);
#else
  return !(fit_volume(m) > 1e-10);
#endif
}

HD void N(fit_inverse)(const f64 *m, f64 *inverse)
{
#if DIM == 2
  const f64 det = m[0] * m[2] - m[1] * m[1];
  inverse[0]    = m[2] / det;
  inverse[1]    = -m[1] / det;
  inverse[2]    = m[0] / det;
#else
  const f64 xx = m[3] * m[5] - m[4] * m[4], xy = m[2] * m[4] - m[1] * m[5], xz = m[1] * m[4] - m[2] * m[3];
  const f64 per = 1 / (m[0] * xx + m[1] * xy + m[2] * xz);
  inverse[0]    = per * xx;
  inverse[1]    = per * xy;
  inverse[2]    = per * xz;
  inverse[3]    = per * (m[0] * m[5] - m[2] * m[2]);
  inverse[4]    = per * (m[1] * m[2] - m[0] * m[4]);
  inverse[5]    = per * (m[0] * m[3] - m[1] * m[1]);
#endif
}

HD void N(fit_invert)(const f64 *m, real *inverse)
{
  f64 whole[DIM * (DIM + 1) / 2];
  N(fit_inverse)(m, whole);
  for (i32 k = 0; k < DIM * (DIM + 1) / 2; k++) inverse[k] = (real)whole[k];
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
