/* numbers.h - a set of equations is a dimension DIM, the number NV of its variables and the ending of its
 * names, a block here; what follows from them; and what only space has, a plane of symmetry.
 * A count is a number, as the shapes of fields show it: products are looked up.                   */
#undef NV
#undef DIM_SUFFIX
#undef CLOUD_LOOP
#undef FLUXES_LOOP
#undef SYMMETRY
#undef PLANE_OF
#if DIM == 2 /* the plane */
#define NV 4
#define DIM_SUFFIX
#define CLOUD_LOOP  heavy
#define FLUXES_LOOP indirect
#define SYMMETRY(F)
#define PLANE_OF(i, m) ((const real *)0)
#elif DIM == 3 /* space */
#define NV          5
#define DIM_SUFFIX  _3d
#define CLOUD_LOOP  wide
#define FLUXES_LOOP wide
/* Points on the plane of symmetry, and its unit normal, where there is one. */
#define SYMMETRY(F)             \
  F(in, i32, on_plane, "nodes") \
  F(in, real, plane, "members,3")
#define PLANE_OF(i, m) (on_plane[i] ? plane + 3 * (m) : (const real *)0)
#endif
#ifndef NG
/* Places of the variables, the same in every set: of the conserved state density, momentum and energy, of the
 * primitive one density, velocity and pressure (physics/gas.h).  Others may follow, so that NV does not tell
 * where they are.                                                                               */
#define DENSITY      0
#define MOMENTUM     1
#define VELOCITY     1
#define ENERGY       (DIM + 1)
#define PRESSURE     (DIM + 1)
#define NG           TIMES(DIM, NV)       /* derivatives of the variables */
#define NR           5                    /* of a member: max rho, -rho, p, -p, |u - stream|^2 */
#define NB           TIMES(NV, NV)        /* entries of a block */
#define ND           TIMES(DIM, DIM)      /* entries of a block of displacements */
#define NS           CAT(SYMMETRIC_, DIM) /* numbers of a symmetric matrix */
#define NF           CAT(LOADS_, DIM)     /* sums of the loads on a wall */
#define NP           CAT(POSE_, DIM)      /* numbers of a pose */
#define POSE_2       6
#define POSE_3       12
#define LOADS_2      4
#define LOADS_3      6
#define SYMMETRIC_2  3
#define SYMMETRIC_3  6
#define TIMES(a, b)  TIMES_(a, b)
#define TIMES_(a, b) TIMES_##a##_##b
#define TIMES_1_1    1
#define TIMES_2_2    4
#define TIMES_2_3    6
#define TIMES_2_4    8
#define TIMES_2_5    10
#define TIMES_2_6    12
#define TIMES_3_3    9
#define TIMES_3_4    12
#define TIMES_3_5    15
#define TIMES_3_6    18
#define TIMES_3_7    21
#define TIMES_4_4    16
#define TIMES_5_5    25
#define TIMES_6_6    36
#define TIMES_7_7    49
#endif
