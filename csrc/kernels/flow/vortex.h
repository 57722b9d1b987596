/* vortex.h - the circulation that the far field sees, in the plane alone.  Forces [rho_inf a_inf^2 chord],
 * strength [a_inf chord].                                                                        */

/* Point vortex at a lifting body, as it looks from afar (Thomas and Salas 1986; theory eq. 2.8b):
 * strength = circulation beta / (2 pi), from the lift of the member's bodies.                   */
#define BC_VORTEX(F)                       \
  F(in, i32, offsets, "members+1>>bodies") \
  F(in, f64, force, "bodies,4")            \
  F(in, f64, stream, "members," STR(NV))   \
  F(in, i32, active, "members")            \
  F(out, f64, strength, "members")
KERNEL(bc_vortex, BC_VORTEX, indirect)
{
  if (!active[i]) return;
  const f64 *s = stream + NV * i, mach2 = s[1] * s[1] + s[2] * s[2];
  f64        lift = 0; /* times the Mach number */
  for (i32 b = offsets[i]; b < offsets[i + 1]; b++) lift += force[4 * b + 1] * s[1] - force[4 * b] * s[2];
  strength[i] = lift / mach2 * sqrt(1 - mach2) / 6.283185307179586;
}
