/* face.h - a flux through the faces of meshes, with that of viscosity too, and its matrix.  Included once per flux
 * (fluxes.h) and dimension; units as in flux.h.
 *   VARIANT   ending of the kernels ale_flux_VARIANT and ale_flux_VARIANT_viscous: _roe
 *   FLUX      (l, r, S, w, by, f): the flux f through the face S, which sweeps w, between the states l and r
 *   MATRIX    ending of the kernels of the matrix that the flux is marched with; of one of its own also what matrix.h
 *             reads: MEAN, JACOBIAN
 */
#ifndef MATRIX
#error "a flux names the matrix that it is marched with: its own, or that of another flux (fluxes.h)"
#endif
#ifdef LISTED
LISTED(OF(ale_flux), edges) LISTED(OF(ale_flux, _viscous), edges)
#else
/* The flux through face i from volume a to volume b, a < b; 1 where a gradient asks for a negative state: where
 * that lasts to the end of a step, the run says so.  The moving face sweeps w [chord a_inf].    */
HD i32 OF(face_flux)(const i32 i, const i32 a, const i32 b, const i32 sharp, real *f ALE_FACE(PARAM))
{
  struct damping by = damping_of(entropy_fix, low_mach + 2 * member[a]);
  by.sharp          = sharp;
  real l[NV], r[NV], to[DIM], on[DIM];
  N(face_ways)(i, a, b, x, xf, to, on);
  const i32 lowered = N(face_states)(a, b, to, on, q, grad, l, r);
  FLUX(l, r, S + DIM * i, w[i], by, f);
  return lowered;
}

KERNEL(OF(ale_flux), ALE_FLUX, indirect)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1];
  if (!active[member[a]]) return;
  real f[NV];
  lowered[i] = OF(face_flux)(i, a, b, 0, f ALE_FACE(NAME));
  N(state_put)(flux + NV * i, f);
}

KERNEL(OF(ale_flux, _viscous), ALE_FLUX_VISCOUS, wide)
{
  const i32 a = lr[2 * i], b = lr[2 * i + 1];
  if (!active[member[a]]) return;
  real f[NV];
  lowered[i] = OF(face_flux)(i, a, b, 1, f ALE_FACE(NAME));
  N(face_viscous)(i, a, b, f ALE_FLUX_VISCOUS(NAME));
  N(state_put)(flux + NV * i, f);
}
#endif
#ifdef MEAN
#undef VARIANT
#define VARIANT MATRIX
#include "matrix.h"
#endif
#undef VARIANT
#undef FLUX
#undef MATRIX
#undef MEAN
#undef JACOBIAN
#undef BLOCKS
