/* limiter.h - smooth limiters of differences, in whatever unit they have: Venkatakrishnan's (theory
 * eq. 2.4), van Leer's (Wang et al. eq. 7).                                                      */
#pragma once

/* up: room to the neighbours' extremum, d: what the gradient asks for (same sign), eps2: threshold. */
HD real limiter_venkatakrishnan(real up, real d, real eps2)
{
  const real a = up * up + eps2;
  return (a + R(2) * d * up) * reciprocal(a + R(2) * d * d + d * up);
}

/* Limiter of a vector, of the same form: `along` is the room along its change times the size of that, `square` the
 * size squared.  A change that is no more than round-off, with no more of a range, is left as it is. */
HD real limiter_along(real along, real square, real eps2)
{
  const real a = along * along + square * eps2 + R(1e-30);
  return (a + R(2) * square * along) * reciprocal(a + R(2) * square * square + square * along);
}

/* Harmonic mean of two differences of one sign, else nothing (van Leer; Wang et al. eq. 7). */
HD real limiter_van_leer(real a, real b)
{
  const real ab = a * b;
  return ab > 0 ? R(2) * ab * reciprocal(a + b) : R(0);
}

/* Share of a change that would leave a density or a pressure at `ratio` of itself: all of it down to a fifth, and
 * then ever less, so that a tenth is always left (theory eq. 2.4e).  Smooth, as marches stall at a switch. */
HD real limiter_positive(real ratio)
{
  if (ratio >= R(0.2)) return R(1);
  const real left = R(0.1) + R(0.01) * reciprocal(R(0.3) - ratio);
  return (R(1) - left) * reciprocal(R(1) - ratio);
}
