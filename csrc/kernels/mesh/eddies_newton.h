/* eddies_newton.h - the equation of nu~ in steps of Newton (flow/newton.h): the last number of each node in the
 * vectors of GMRES.  Its unknown is nt over `scale`, its residual counts `weight`.                    */

#define EDDY_NODES(F)                 \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(size, i32, width, "width")

/* The begin of a step, and the side -R. */
#define EDDY_BEGIN(F)                 \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, nt, "nodes")            \
  F(in, real, res_nt, "nodes")        \
  F(rw, real, nt0, "nodes")           \
  F(rw, real, beside0, "nodes")
KERNEL(eddy_begin, EDDY_BEGIN, indirect)
{
  if (active[member[i]]) nt0[i] = nt[i], beside0[i] = res_nt[i];
}
#define EDDY_SIDE(F)            \
  EDDY_NODES(F)                 \
  F(in, real, beside0, "nodes") \
  F(in, f64, weight, "members") \
  F(rw, f32, w, "nodes,width")
KERNEL(eddy_side, EDDY_SIDE, indirect)
{
  const i32 m = member[i];
  if (active[m]) w[width * (i + 1) - 1] = (f32)(-weight[m] * (f64)beside0[i]);
}

/* The side of the preconditioner, by rows of its matrix, and its solution. */
#define EDDY_GIVE(F)              \
  F(in, i32, node, "rows>nodes!") \
  EDDY_NODES(F)                   \
  F(in, f64, weight, "members")   \
  F(in, f32, w, "nodes,width")    \
  F(rw, f32, rhs_nt, "rows,1")
KERNEL(eddy_give, EDDY_GIVE, indirect)
{
  const i32 a = node[i], m = member[a];
  if (active[m]) rhs_nt[i] = (f32)((f64)w[width * (a + 1) - 1] / weight[m]);
}
#define EDDY_GET(F)               \
  F(in, i32, node, "rows>nodes!") \
  EDDY_NODES(F)                   \
  F(in, f64, scale, "members")    \
  F(in, f32, dnt, "rows,1")       \
  F(rw, f32, z, "nodes,width")
KERNEL(eddy_get, EDDY_GET, indirect)
{
  const i32 a = node[i], m = member[a];
  if (active[m]) z[width * (a + 1) - 1] = (f32)((f64)dnt[i] / scale[m]);
}

/* nt = nt0 + share z scale. */
#define EDDY_MOVE(F)           \
  EDDY_NODES(F)                \
  F(in, f64, share, "members") \
  F(in, f64, scale, "members") \
  F(in, real, nt0, "nodes")    \
  F(in, f32, z, "nodes,width") \
  F(rw, real, nt, "nodes")
KERNEL(eddy_move, EDDY_MOVE, indirect)
{
  const i32 m = member[i];
  if (!active[m]) return;
  const real by = (real)(share[m] * scale[m]);
  nt[i]         = by > 0 ? nt0[i] + by * (real)z[width * (i + 1) - 1] : nt0[i];
}

/* Its row of the product; at walls, where nt is given, the inverse of what the preconditioner does to it, as rounding
 * grows from vector to vector by whatever the two are apart.                                     */
#define EDDY_PRODUCT(F)         \
  EDDY_NODES(F)                 \
  F(in, f64, distance, "nodes") \
  F(in, f64, share, "members")  \
  F(in, f64, scale, "members")  \
  F(in, f64, weight, "members") \
  F(in, f64, cfl, "members")    \
  F(in, real, T_nt, "nodes")    \
  F(in, real, res_nt, "nodes")  \
  F(in, real, beside0, "nodes") \
  F(in, f32, z, "nodes,width")  \
  F(rw, f32, w, "nodes,width")
KERNEL(eddy_product, EDDY_PRODUCT, indirect)
{
  const i32 m = member[i], own = width * (i + 1) - 1;
  if (!active[m]) return;
  const f64 d = (f64)z[own], change = (f64)(res_nt[i] - beside0[i]) / share[m];
  w[own] = distance[i] > 0 ? (f32)(weight[m] * (change + (f64)T_nt[i] * scale[m] * d / cfl[m]))
                           : (f32)(weight[m] * scale[m] * d);
}

/* nt falls by 0.8 of itself and 0.05 nu at most, and rises by 3 and 0.05. */
#define EDDY_BOUND(F)              \
  EDDY_NODES(F)                    \
  F(in, f64, scale, "members")     \
  F(in, f64, mu_stream, "members") \
  F(in, real, nt0, "nodes")        \
  F(rw, f32, z, "nodes,width")
KERNEL(eddy_bound, EDDY_BOUND, indirect)
{
  const i32 m = member[i], own = width * (i + 1) - 1;
  if (!active[m]) return;
  const f64 size = fabs((f64)nt0[i]), more = 0.05 * mu_stream[m], d = scale[m] * (f64)z[own];
  z[own] = (f32)(fmin(fmax(d, -0.8 * size - more), 3 * size + more) / scale[m]);
}
