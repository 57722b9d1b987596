/* narrow.h - copies of what a point has, and its other precision, once per dimension (copy.h). */

#define COPY_STATE(F)    COPY(F, real, real, "items," STR(NV))
#define NARROW_STATE(F)  COPY(F, f64, f32, "items," STR(NV))
#define WIDEN_STATE(F)   COPY(F, f32, f64, "items," STR(NV))
#define NARROW_FIT(F)    COPY(F, f64, f32, "items," STR(NS))
#define NARROW_VECTOR(F) COPY(F, f64, f32, "items," STR(DIM))
LANES(N(copy_state), COPY_STATE, indirect, NV)
{
  EACH_LANE(k, NV) to[k] = from[k];
}
/* States of these nodes, each in the row of its place in the list. */
#define TAKE_STATE(F)                 \
  F(in, i32, node, "items>nodes")     \
  F(in, real, from, "nodes," STR(NV)) \
  F(out, real, to, "items," STR(NV))
KERNEL(N(take_state), TAKE_STATE, indirect)
{
  for (i32 k = 0; k < NV; k++) to[NV * i + k] = from[NV * node[i] + k];
}
LANES(N(narrow_state), NARROW_STATE, indirect, NV)
{
  EACH_LANE(k, NV) to[k] = (f32)from[k];
}
LANES(N(widen_state), WIDEN_STATE, indirect, NV)
{
  EACH_LANE(k, NV) to[k] = (f64)from[k];
}
KERNEL(N(narrow_fit), NARROW_FIT, indirect)
{
  for (i32 k = NS * i; k < NS * (i + 1); k++) to[k] = (f32)from[k];
}
KERNEL(N(narrow_vector), NARROW_VECTOR, indirect)
{
  for (i32 k = DIM * i; k < DIM * (i + 1); k++) to[k] = (f32)from[k];
}
