/* nishikawa.h - Nishikawa's limiter of third order (AIAA 2022-1374) of the room and the change d that a gradient asks
 * for, of one sign; eps2: threshold squared.                                                      */
#pragma once

HD real limiter_nishikawa(real room, real d, real eps2)
{
  const real a = fabs(room), b = fabs(d), least = a * a * a + eps2 * sqrt(eps2);
  if (a >= R(2) * b) return R(1);
  return (least + R(4) * a * b * b) * reciprocal(least + b * (a * a + R(4) * b * b));
}
