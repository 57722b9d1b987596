/* state.h - the state of each node, once per dimension (docs/theory.md, section 2).  u, q, V and past
 * as in docs/style.md, in the units of gas.h and chords.  active: members whose pseudo-time has not
 * converged; the others are left as they are.                                                     */

/* Primitive state (rho, v, p) from the conserved one; what is not a gas is a fault of a member that
 * is active, which is only asked then.                                                          */
HD void N(primitive_put)(i32 i, const real *from, real *to, real *q, const i32 *member, const i32 *active, u64 *faults)
{
  N(gas_primitive)(from, to);
  N(state_put)(q + NV * i, to);
  if (to[DENSITY] > 0 && to[PRESSURE] > 0) return;
  const i32 m = member[i];
  if (!active[m]) return;
  if (!(to[DENSITY] > 0)) fault(&faults[m], FAULT_DENSITY, i);
  if (!(to[PRESSURE] > 0)) fault(&faults[m], FAULT_PRESSURE, i);
}

#define STATE_PRIMITIVE(F)            \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, u, "nodes," STR(NV))    \
  F(out, real, q, "nodes," STR(NV))   \
  F(inc, u64, faults, "members")
KERNEL(N(state_primitive), STATE_PRIMITIVE, indirect)
{
  real from[NV], to[NV];
  N(state_load)(u + NV * i, from);
  N(primitive_put)(i, from, to, q, member, active, faults);
}

/* State where a residual begins: one that fits the plane of symmetry, and with the ranges over a member for
 * Wang's thresholds: (max, -min) of density and of pressure, and the largest speed relative to the stream, squared,
 * which has no axes as the ranges of the velocity's components have.                            */
#undef STATE_SLIP
#if DIM == 2
#define STATE_SLIP(F) F(in, real, u, "nodes," STR(NV))
#else
/* as SYMMETRY, where volumes are on a plane: all three, or none */
#define STATE_SLIP(F)                       \
  F(opt, i32, on_plane, "nodes")            \
  F(opt, real, plane, "members,3")          \
  F(opt, real, velocity, "nodes," STR(DIM)) \
  F(rw, real, u, "nodes," STR(NV))
#endif
#define STATE_PRIMITIVE_RANGE(F)         \
  F(in, i32, member, "nodes>members")    \
  F(in, i32, active, "members")          \
  STATE_SLIP(F)                          \
  F(in, f64, stream, "members," STR(NV)) \
  F(out, real, q, "nodes," STR(NV))      \
  F(inc, u64, faults, "members")         \
  TOTALS(F, "nodes")                     \
  F(upd, f64, parts, "groups," STR(NR))  \
  F(out, f64, range, "members," STR(NR))
TOTAL(N(state_primitive_range), STATE_PRIMITIVE_RANGE, max, NR, 1)
{
  real from[NV], to[NV];
  N(state_load)(u + NV * i, from);
#if DIM == 3
  if (on_plane && on_plane[i] && active[member[i]]) {
    state_slip(plane + DIM * member[i], velocity + DIM * i, from);
    N(state_put)(u + NV * i, from);
  }
#endif
  N(primitive_put)(i, from, to, q, member, active, faults);
  const f64 *at = stream + NV * member[i], rho = (f64)to[DENSITY], p = (f64)to[PRESSURE];
  f64        speed2 = 0;
  for (i32 k = VELOCITY; k < PRESSURE; k++) {
    const f64 d = (f64)to[k] - at[k];
    speed2 += d * d;
  }
  const f64 found[NR] = {rho, -rho, p, -p, speed2};
  for (i32 k = 0; k < NR; k++) s[k] = OP_max(s[k], found[k]);
}
OF_MEMBER(N(state_primitive_range), STATE_PRIMITIVE_RANGE)
{
  for (i32 k = 0; k < NR; k++) range[NR * m + k] = s[k];
}

/* c1 V^n u^n + c2 V^(n-1) u^(n-1), once per physical step. */
#define STATE_PAST(F)                 \
  F(in, i32, member, "nodes>members") \
  F(in, f64, bdf, "members,3")        \
  F(in, f64, V1, "nodes")             \
  F(in, real, u1, "nodes," STR(NV))   \
  F(in, f64, V2, "nodes")             \
  F(in, real, u2, "nodes," STR(NV))   \
  F(out, real, past, "nodes," STR(NV))
LANES(N(state_past), STATE_PAST, indirect, NV)
{
  const f64 *c = bdf + 3 * member[i];
  EACH_LANE(k, NV)
  past[k] = (real)(c[1] * V1[i] * (f64)u1[k] + c[2] * V2[i] * (f64)u2[k]);
}

/* A physical step begins: each state is that of one step ago. */
#define STATE_KEEP(F)               \
  F(in, real, u, "nodes," STR(NV))  \
  F(rw, real, u1, "nodes," STR(NV)) \
  F(rw, real, u2, "nodes," STR(NV)) \
  F(out, real, u3, "nodes," STR(NV))
LANES(N(state_keep), STATE_KEEP, indirect, NV)
{
  EACH_LANE(k, NV)
  {
    u3[k] = u2[k];
    u2[k] = u1[k];
    u1[k] = u[k];
  }
}
