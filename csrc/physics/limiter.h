/* limiter.h - Venkatakrishnan's smooth limiter (theory eq. 2.4). */
#pragma once

/* up: room to the neighbours' extremum, d: what the gradient asks for (same sign), eps2: threshold. */
HD real limiter_venkatakrishnan(real up, real d, real eps2)
{
  const real a = up * up + eps2;
  return (a + R(2) * d * up) * reciprocal(a + R(2) * d * d + d * up);
}
