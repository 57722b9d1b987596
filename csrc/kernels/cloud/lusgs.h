/* lusgs.h - a row of LU-SGS by colours on a cloud without a matrix (mesh/lusgs.h; docs/meshless.md, eq.
 * M.5), once per dimension: its number on the diagonal and its solution.  In the plane (lusgs_plane.h)
 * a row works out coefficients and waves of its satellites anew in every sweep, for the sake of memory;
 * in space (lusgs_space.h) it finds them, as it would wait for them with twice the satellites.
 * Units: lambda and the diagonal [a_inf / chord], du as u.                                       */

/* A row solved: at a wall with its own block (physics/wall.h), elsewhere by d alone. */
HD void N(cloud_solve_row)(const real *own, const real *unit, const real *s, real d, real *to)
{
  if (unit) {
    N(wall_row)(own, unit, R(0.5) * N(vec_dot)(s, unit), d, to);
    return;
  }
  const real per = reciprocal(d);
  for (i32 k = 0; k < NV; k++) to[k] *= per;
}

/* The diagonal of a row of LU-SGS on a cloud: it has the whole sum of lambda, as half of it
 * would be what the neighbours take.  In place of -A_i times the sum of a_ij, which is not zero at the
 * far field and where points lie closer on one side, stands its spectral radius: left out, it would
 * let smooth changes grow.  open: the sum of a_ij, at a wall its part along; w: the point's own
 * velocity along it.                                                                            */
HD real N(cloud_pivot)(const real *own, const real *open, real w, real sum, f64 pace, f64 c0)
{
  const real slow = pace > 1e30 ? R(0) : reciprocal((real)pace); /* of an endless one a device knows none */
  return sum * slow + (real)c0 + sum + N(gas_radius)(own, open, w);
}
