/* incompressible.h - value functions of the incompressible equations on the facets of a mesh (docs/theory.md,
 * section 7), once per dimension.  Density 1, velocities [U], lengths [chord], pressure over density [U^2]. */

/* phi's derivative through a facet times its area: g.S + k (phi_j - phi_i - g.d) with the cell's gradient g,
 * d from i to j and k = |S|^2 / (S.d), or |S| / |d| where they do not point the same way (eq. 7.3). */
HD real N(facet_friction)(const real *S, const real *d)
{
  const real along = N(vec_dot)(S, d), size = N(vec_dot)(S, S);
  return along > 0 ? size / along : sqrt(size / N(vec_dot)(d, d));
}

HD real N(facet_derivative)(const real *g, const real *S, const real *d, real k, real jump)
{
  return N(vec_dot)(g, S) + k * (jump - N(vec_dot)(g, d));
}

/* A velocity's share k carried over an edge: the upwind end's, extended by its gradient to the middle of the
 * edge, less `blend` of what that is above the mean of both ends (eq. 7.5). */
HD real N(edge_carried)(real own, real other, const real *gradient, const real *half, real blend)
{
  const real upwind = own + N(vec_dot)(gradient, half);
  return upwind + blend * (R(0.5) * (own + other) - upwind);
}

/* What a difference of pressures at a face becomes a volume flux by, 1 / (c0 + a) (eq. 7.7). */
HD real N(face_mobility)(real c0, real a)
{
  return R(1) / (c0 + a);
}
