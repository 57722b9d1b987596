/* farfield.h - the state of the far field, once per dimension (theory eq. 2.8b).  State in the units of
 * gas.h; places in chords, the strength of a vortex in a_inf chord.                             */

/* State of the free stream s at the place x.  In the plane, where `strength` is given, a vortex at `centre`
 * adds its velocity; density and pressure follow from entropy and total enthalpy, which stay.   */
HD void N(farfield_state)(const f64 *s, const f64 *strength UNUSED, const f64 *centre UNUSED, const f64 *x UNUSED,
                          real *out)
{
  f64 q[NV];
  for (i32 k = 0; k < NV; k++) q[k] = s[k];
#if DIM == 2
  if (strength) {
    const f64 dx = x[0] - centre[0], dy = x[1] - centre[1], cross = dy * s[1] - dx * s[2];
    const f64 per = *strength / (dx * dx + dy * dy - cross * cross);
    q[1] += per * dy;
    q[2] -= per * dx;
    const f64 a2 = 1 + (f64)1 / GAS_FREEDOM * (s[1] * s[1] + s[2] * s[2] - q[1] * q[1] - q[2] * q[2]);
    q[0]         = a2 * a2 * sqrt(a2); /* a^GAS_FREEDOM */
    q[PRESSURE]  = q[0] * a2 / ((f64)(GAS_FREEDOM + 2) / GAS_FREEDOM);
  }
#endif
  for (i32 k = 0; k < NV; k++) out[k] = (real)q[k];
}
