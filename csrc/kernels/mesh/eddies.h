/* eddies.h - the equation of nu~ of Spalart and Allmaras (docs/theory.md, section 9.5), once per dimension: gradient,
 * residual with its scalar matrix, far field, who goes on, change.  nt is nu~ [a_inf chord]; res_nt
 * [rho_inf a_inf^2 chord^DIM] and alike.                                                         */

/* Least-squares gradient of nt, weights |d|^-2, and its diffusivity times sigma, eta. */
#define EDDY_GRADIENT(F)                  \
  F(in, i32, member, "nodes>members")     \
  F(in, i32, active, "members")           \
  F(near, f64, x, "nodes," STR(DIM))      \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, real, whole, "nodes," STR(NS))    \
  F(in, real, q, "nodes," STR(NV))        \
  F(in, f64, mu, "nodes,2")               \
  F(near, real, nt, "nodes")              \
  F(out, real, eta, "nodes")              \
  F(out, real, slope_nt, "nodes," STR(DIM))
KERNEL(N(eddy_gradient), EDDY_GRADIENT, indirect)
{
  if (!active[member[i]]) return;
  const real own = nt[i];
  real       b[DIM], d[DIM];
  f64        at[DIM];
  N(place_load)(x, i, at);
  for (i32 k = 0; k < DIM; k++) b[k] = 0;
  for (i32 e = offsets[i]; e < offsets[i + 1]; e++) {
    N(fit_way)(at, x, neighbour[e], d);
    N(vec_add)(b, N(fit_weight)(d, 1) * (nt[neighbour[e]] - own), d);
  }
  N(fit_apply)(whole + NS * i, b, slope_nt + DIM * i);
  eta[i] = eddy_diffusivity(own, (real)mu[2 * i] / q[NV * i + DENSITY]);
}

/* |curl v| from the gradients of the primitive state. */
HD real N(vorticity)(const real *g)
{
#if DIM == 2
  return fabs(g[2 * (VELOCITY + 1)] - g[2 * VELOCITY + 1]);
#else
  const real x = g[3 * 3 + 1] - g[3 * 2 + 2], y = g[3 * 1 + 2] - g[3 * 3], z = g[3 * 2] - g[3 * 1 + 1];
  return sqrt(x * x + y * y + z * z);
#endif
}

/* Fields that edges read of both ends. */
#define EDDY_FACES(F)                     \
  F(near, f64, x, "nodes," STR(DIM))      \
  F(in, i32, offsets, "nodes+1>>entries") \
  F(in, i32, neighbour, "entries>nodes")  \
  F(in, i32, edge, "entries>edges")       \
  F(in, real, S, "edges," STR(DIM))       \
  F(in, real, flux, "edges," STR(NV))     \
  F(in, real, jump, "edges")              \
  F(in, f32, compact, "edges")            \
  F(near, real, nt, "nodes")              \
  F(near, real, eta, "nodes")             \
  F(near, real, slope_nt, "nodes," STR(DIM))
/* And the blocks of the matrix; a null pointer leaves them out. */
#define EDDY_EDGES(F)                 \
  EDDY_FACES(F)                       \
  F(in, i32, slot, "entries>blocks!") \
  F(upd, f32, A, "blocks,1")
/* Sums over the edges of a node; size: of the terms that cancel in res. */
struct N(eddy_sum) {
  real res, diagonal, size;
};
/* Convection of first order and diffusion through the edges of node a of density rho, rows of the matrix with them:
 * an advective form, with the mass that the flow's flux takes through the moving face.           */
HD struct N(eddy_sum) N(eddy_edges)(const i32 a, const real rho EDDY_EDGES(PARAM))
{
  struct N(eddy_sum) s = {0, 0, 0};
  const real own = nt[a], most = rho / EDDY_SIGMA, here = R(0.5) * (EDDY_CB2 - R(1)) * eta[a];
  real       g[DIM];
  f64        at[DIM];
  N(place_load)(x, a, at);
  for (i32 k = 0; k < DIM; k++) g[k] = slope_nt[DIM * a + k];
  for (i32 e = offsets[a]; e < offsets[a + 1]; e++) {
    const i32   f = edge[e], b = neighbour[e];
    const real  sign = b > a ? R(1) : R(-1), in = smaller(sign * flux[NV * f + DENSITY], R(0)), more = nt[b] - own;
    const real *out = S + DIM * f, weight = most * (R(0.5) * (R(1) + EDDY_CB2) * eta[b] - here);
    real        d[DIM], mean[DIM];
    N(fit_way)(at, x, b, d);
    for (i32 k = 0; k < DIM; k++) mean[k] = R(0.5) * (g[k] + slope_nt[DIM * b + k]);
    const real along   = sign * N(vec_dot)(mean, out);
    const real through = along + jump[f] * N(vec_dot)(out, out) * (more - N(vec_dot)(mean, d));
    const real across  = weight * (real)compact[f];
    s.res += in * more - weight * through;
    s.diagonal += across - in;
    s.size += (across - in) * (fabs(own) + fabs(nt[b]));
    if (A) A[slot[e]] = (f32)(in - across);
  }
  return s;
}

/* Fields of what a node has beside its edges. */
#define EDDY_OWN(F)                    \
  F(in, i32, member, "nodes>members")  \
  F(in, i32, active, "members")        \
  F(in, real, q, "nodes," STR(NV))     \
  F(in, f64, mu, "nodes,2")            \
  F(in, f64, V, "nodes")               \
  F(in, real, slope, "nodes," STR(NG)) \
  F(in, real, nt1, "nodes")            \
  F(in, real, nt2, "nodes")            \
  F(in, f64, distance, "nodes")        \
  F(in, f64, bdf, "members,3")
/* Source of a node off the walls, and d nt / dt. */
HD struct eddy_number N(eddy_made)(const i32 i, const real *nt, real *rate EDDY_OWN(PARAM))
{
  const f64 *c = bdf + 3 * member[i];
  *rate        = (real)(c[0] * (f64)nt[i] + c[1] * (f64)nt1[i] + c[2] * (f64)nt2[i]);
  return eddy_source(nt[i], (real)mu[2 * i] / q[NV * i + DENSITY], N(vorticity)(slope + NG * i), (real)distance[i]);
}

#define EDDY_ROWS(F)                   \
  EDDY_OWN(F)                          \
  F(in, i32, row_of, "nodes>rows!")    \
  F(in, i32, diagonal, "rows>blocks!") \
  EDDY_EDGES(F)                        \
  F(in, f64, cfl, "members")           \
  F(out, real, res_nt, "nodes")        \
  F(out, real, size_nt, "nodes")       \
  F(out, f32, rhs_nt, "rows,1")        \
  F(inc, u64, faults, "members")
/* Residual of a node and its row of the matrix, in the order of the nodes: by rows it is a third dearer.  nt is zero
 * at walls.                                                                                     */
KERNEL(N(eddy_rows), EDDY_ROWS, heavy)
{
  const i32 m = member[i], own = diagonal[row_of[i]];
  if (!active[m]) return;
  const real rho = q[NV * i + DENSITY], mass = rho * (real)V[i];
  const struct N(eddy_sum) s = N(eddy_edges)(i, rho EDDY_EDGES(NAME));
  if (!(distance[i] > 0)) {
    for (i32 e = offsets[i]; e < offsets[i + 1]; e++) A[slot[e]] = 0;
    A[own] = 1, res_nt[i] = size_nt[i] = 0, rhs_nt[row_of[i]] = 0;
    return;
  }
  const f64               *c = bdf + 3 * m;
  real                     rate;
  const struct eddy_number made = N(eddy_made)(i, nt, &rate EDDY_OWN(NAME));
  const real turn = fabs(nt[i]) * ((real)c[0] + fabs(made.slope)); /* the largest of the times' and sources' terms */
  const real res = s.res + mass * (rate - made.value), per_dtau = s.diagonal / (real)cfl[m];
  A[own] = (f32)(s.diagonal + per_dtau + mass * ((real)c[0] + larger(-made.slope, R(0))));
  if (!(fabs(res) < R(1e30))) fault(&faults[m], FAULT_EDDIES, i);
  res_nt[i]         = res;
  size_nt[i]        = s.size + mass * turn;
  rhs_nt[row_of[i]] = (f32)-res;
}

/* The residual alone, as of a product with its derivative (flow/newton.h). */
#define EDDY_RESIDUAL(F) EDDY_OWN(F) EDDY_FACES(F) F(rw, real, res_nt, "nodes")
KERNEL(N(eddy_residual), EDDY_RESIDUAL, heavy)
{
  if (!active[member[i]] || !(distance[i] > 0)) return;
  const real rho             = q[NV * i + DENSITY];
  const struct N(eddy_sum) s = N(eddy_edges)(i, rho EDDY_FACES(NAME), 0, 0);
  real                     rate;
  const struct eddy_number made = N(eddy_made)(i, nt, &rate EDDY_OWN(NAME));
  res_nt[i]                     = s.res + rho * (real)V[i] * (rate - made.value);
}

/* 1 / dtau at a CFL number of 1, as in the row of the matrix. */
#define EDDY_PACE(F)                  \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, q, "nodes," STR(NV))    \
  EDDY_FACES(F)                       \
  F(rw, real, T_nt, "nodes")
KERNEL(N(eddy_pace), EDDY_PACE, heavy)
{
  if (active[member[i]]) T_nt[i] = N(eddy_edges)(i, q[NV * i + DENSITY] EDDY_FACES(NAME), 0, 0).diagonal;
}

/* Far field, inlets and outlets: what comes in brings the stream's nt. */
#define EDDY_ACROSS(F)                \
  F(in, i32, node, "bnodes>nodes!")   \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, real, S, "bnodes," STR(DIM))  \
  F(in, real, w, "bnodes")            \
  F(in, real, q, "nodes," STR(NV))    \
  F(in, real, nt, "nodes")            \
  F(in, f64, nt_stream, "members")    \
  F(in, f64, distance, "nodes")       \
  F(rw, real, res_nt, "nodes")
/* Adds that to the residual of node a; the mass that goes out, which is below zero. */
HD real N(eddy_across)(const i32 i, const i32 a EDDY_ACROSS(PARAM))
{
  const real *own  = q + NV * a;
  const real  mass = smaller(own[DENSITY] * (N(vec_dot)(own + VELOCITY, S + DIM * i) - w[i]), R(0));
  res_nt[a] += mass * ((real)nt_stream[member[a]] - nt[a]);
  return mass;
}

#define EDDY_THROUGH(F)                \
  EDDY_ACROSS(F)                       \
  F(in, i32, line, "bnodes>rows!")     \
  F(in, i32, diagonal, "rows>blocks!") \
  F(rw, f32, A, "blocks,1")            \
  F(rw, f32, rhs_nt, "rows,1")
KERNEL(N(eddy_through), EDDY_THROUGH, indirect)
{
  const i32 a = node[i];
  if (!active[member[a]] || !(distance[a] > 0)) return;
  const real mass = N(eddy_across)(i, a EDDY_ACROSS(NAME));
  rhs_nt[line[i]] = (f32)-res_nt[a]; /* of the sum, as its parts cancel */
  A[diagonal[line[i]]] -= (f32)mass;
}

/* The residual alone. */
KERNEL(N(eddy_through_residual), EDDY_ACROSS, indirect)
{
  const i32 a = node[i];
  if (active[member[a]] && distance[a] > 0) N(eddy_across)(i, a EDDY_ACROSS(NAME));
}

#if DIM == 2
/* Norm of res_nt, and who is busy with it still: it has to fall by `drop` from the most that it was, or to what
 * round-off alone can leave.                                                                     */
#define EDDY_CHECK(F)               \
  F(in, real, res_nt, "nodes")      \
  F(in, real, size_nt, "nodes")     \
  F(val, real, roundings, "")       \
  F(in, i32, active, "members")     \
  F(in, i32, iterations, "members") \
  F(in, f64, drop_nt, "members")    \
  TOTALS(F, "nodes")                \
  F(upd, f64, parts, "groups,2")    \
  F(rw, f64, base_nt, "members")    \
  F(rw, f64, norm_nt, "members")    \
  F(rw, i32, busy, "members")
TOTAL(eddy_check, EDDY_CHECK, sum, 2, active[m])
{
  s[0] += (f64)res_nt[i] * (f64)res_nt[i];
  s[1] += (f64)size_nt[i] * (f64)size_nt[i];
}
OF_MEMBER(eddy_check, EDDY_CHECK)
{
  norm_nt[m] = sqrt(s[0]);
  base_nt[m] = iterations[m] > 0 ? fmax(base_nt[m], norm_nt[m]) : norm_nt[m];
  busy[m]    = !(norm_nt[m] <= fmax(drop_nt[m] * base_nt[m], (f64)roundings * sqrt(s[1])));
}

/* nt += dnt, by half of nt and the stream's nu at most. */
#define EDDY_UPDATE(F)                \
  F(in, i32, node, "rows>nodes!")     \
  F(in, i32, member, "nodes>members") \
  F(in, i32, active, "members")       \
  F(in, f64, mu_stream, "members")    \
  F(in, f32, dnt, "rows,1")           \
  F(rw, real, nt, "nodes")            \
  F(inc, u64, faults, "members")
KERNEL(eddy_update, EDDY_UPDATE, indirect)
{
  const i32 a = node[i], m = member[a];
  if (!active[m]) return;
  const real d = (real)dnt[i], most = R(0.5) * (fabs(nt[a]) + (real)mu_stream[m]), now = fabs(d);
  if (!(now < R(1e30))) { /* nt stays a number: what it would do to the gas next is no cause */
    fault(&faults[m], FAULT_EDDIES, a);
    return;
  }
  nt[a] += now > most ? d * (most / now) : d;
}

/* A physical step begins. */
#define EDDY_KEEP(F)        \
  F(in, real, nt, "nodes")  \
  F(rw, real, nt1, "nodes") \
  F(out, real, nt2, "nodes")
KERNEL(eddy_keep, EDDY_KEEP, direct)
{
  nt2[i] = nt1[i];
  nt1[i] = nt[i];
}
#endif
