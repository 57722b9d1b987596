/* numbers.h - what follows from the dimension DIM: the counts of the Euler equations, and what only space
 * has, a plane of symmetry.  A count is a number, as the shapes of fields show it.               */
#undef NV
#undef NG
#undef NS
#undef NR
#undef NB
#undef DIM_SUFFIX
#undef CLOUD_LOOP
#undef SYMMETRY
#undef PLANE_OF
#if DIM == 2
#define NV 4  /* variables */
#define NG 8  /* their derivatives */
#define NS 3  /* numbers of a symmetric matrix */
#define NR 8  /* both ends of the variables' ranges */
#define NB 16 /* entries of a block */
#define DIM_SUFFIX
#define CLOUD_LOOP heavy
#define SYMMETRY(F)
#define PLANE_OF(i, m) ((const real *)0)
#else
#define NV         5
#define NG         15
#define NS         6
#define NR         10
#define NB         25
#define DIM_SUFFIX _3d
#define CLOUD_LOOP wide
/* Points on the plane of symmetry, and its unit normal, where there is one. */
#define SYMMETRY(F)             \
  F(in, i32, on_plane, "nodes") \
  F(in, real, plane, "members,3")
#define PLANE_OF(i, m) (on_plane[i] ? plane + 3 * (m) : (const real *)0)
#endif
