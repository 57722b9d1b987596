/* conditions.h - the conditions of meshes with a state beyond the boundary, an entry each (beyond.h); where LISTED their
 * rows of the table.  Once per dimension.                                                         */
#ifndef LISTED
#include "physics/open.h"
#endif

/* Far field: the free stream, where there is lift with the vortex of bc_vortex. */
#define VARIANT _farfield
#define READS(F)                                             \
  F(in, f64, stream, "members," STR(NV)) /* primitive */     \
  F(opt, f64, strength, "members")       /* of the vortex */ \
  F(in, f64, centre, "members,2")        /* where it is */   \
  F(in, f64, x, "nodes," STR(DIM))                           \
  F(opt, f64, xf, "bnodes," STR(DIM))
#define BEYOND \
  N(farfield_state)(stream + NV * m, strength ? strength + m : 0, centre + 2 * m, xf ? xf + DIM * i : x + DIM * a, out)
#include "beyond.h"

/* Outlet: a given pressure [rho_inf a_inf^2]. */
#define VARIANT  _outlet
#define READS(F) F(in, f64, back, "bnodes")
#define BEYOND   N(outlet_state)(q + NV * a, S + DIM * i, w[i], back[i], out)
#include "beyond.h"

/* Inlet: a given total state, pressure and squared speed of sound of the gas at rest, and the way of the inflow, a unit
 * vector, or 0: across the boundary. */
#define VARIANT _inlet
#define READS(F)                \
  F(in, f64, total, "bnodes,2") \
  F(in, f64, way, "bnodes," STR(DIM))
#define BEYOND N(inlet_state)(q + NV * a, S + DIM * i, w[i], total + 2 * i, way + DIM * i, out)
#include "beyond.h"
