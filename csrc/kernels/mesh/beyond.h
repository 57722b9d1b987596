/* beyond.h - a condition with a state beyond the boundary, on meshes: Roe's flux between the volume inside and that
 * state lets each characteristic bring its own side; in the matrix the state beyond stays.  Included once per condition
 * (conditions.h) and dimension; units as in boundary.h.
 *   VARIANT   ending of the kernels bc_VARIANT and bc_VARIANT_jacobian: _outlet
 *   READS(F)  fields that the state beyond follows from
 *   BEYOND    call that puts it into `out`, of volume a of member m behind face i
 */
#ifdef LISTED
LISTED(OF(bc), bnodes) LISTED(OF(bc, _jacobian), bnodes)
#else
#define BC_OPEN(F)                  \
  READS(F)                          \
  F(in, f64, low_mach, "members,2") \
  F(val, real, entropy_fix, "")
#define BC_BEYOND(F) BC_FIELDS(F) BC_OPEN(F) F(rw, real, res, "nodes," STR(NV))
KERNEL(OF(bc), BC_BEYOND, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[NV], f[NV];
  BEYOND;
  N(flux_roe)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), f);
  for (i32 k = 0; k < NV; k++) res[NV * a + k] += f[k];
}

#define BC_BEYOND_JACOBIAN(F) BC_JACOBIAN(F) BC_OPEN(F)
KERNEL(OF(bc, _jacobian), BC_BEYOND_JACOBIAN, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  real out[NV];
  BEYOND;
  N(bc_beyond)(q + NV * a, out, S + DIM * i, w[i], damping_of(entropy_fix, low_mach + 2 * m), BLOCK_AT(A, NB, slot[i]));
}
#endif
#undef VARIANT
#undef READS
#undef BEYOND
