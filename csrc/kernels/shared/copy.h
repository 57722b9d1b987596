/* copy.h - copies, and other precisions of a field's numbers, for a matrix in float32 under a flow in
 * float64.                                                                                       */

#define COPY(F, from_type, to_type, shape) F(in, from_type, from, shape) F(out, to_type, to, shape)
#define COPY_F64(F)                        COPY(F, f64, f64, "items")
#define COPY_F64_2(F)                      COPY(F, f64, f64, "items,2")
#define COPY_F64_3(F)                      COPY(F, f64, f64, "items,3")
#define NARROW_1(F)                        COPY(F, f64, f32, "items")
#define NARROW_2(F)                        COPY(F, f64, f32, "items,2")
#define NARROW_ROW(F)                      COPY(F, f64, f32, "items,1")
#define WIDEN_ROW(F)                       COPY(F, f32, f64, "items,1")
KERNEL(narrow_row, NARROW_ROW, direct)
{
  to[i] = (f32)from[i];
}
KERNEL(widen_row, WIDEN_ROW, direct)
{
  to[i] = (f64)from[i];
}
KERNEL(copy_f64, COPY_F64, direct)
{
  to[i] = from[i];
}
KERNEL(narrow_1, NARROW_1, direct)
{
  to[i] = (f32)from[i];
}
LANES(copy_f64_2, COPY_F64_2, indirect, 2)
{
  EACH_LANE(k, 2) to[k] = from[k];
}
LANES(copy_f64_3, COPY_F64_3, indirect, 3)
{
  EACH_LANE(k, 3) to[k] = from[k];
}
LANES(narrow_2, NARROW_2, indirect, 2)
{
  EACH_LANE(k, 2) to[k] = (f32)from[k];
}
