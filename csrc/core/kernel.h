/* kernel.h - a kernel body is written once, in the common subset of C11 and C++17: gcc makes an
 * OpenMP loop of it, nvcc a __global__ function.  One field list F(mode, type, name, shape)
 * expands into struct members, parameters, arguments, locals and the rows that Python reads.
 *
 *   modes   in    read only, at the own volume   near  read only, at other volumes too
 *           opt   as in, may be absent (null)    opt_near  as near, may be absent
 *           rw    read and written there         upd   written at own index, neighbours read
 *           out   every entry is written         inc   accumulated (faults, sums)
 *           val   scalar, frozen in a recording  size  the extent of the set, filled in by bind
 *           An item's own volume, and what is of none: docs/architecture.md, "A kernel".
 *   types   real i32 u64, and f64 f32 where the precision must not follow `real`
 *   shapes  numbers and set names, first axis first; then, for i32 tables,
 *           ">set" index into set, "?" also -1, "!" no index twice, "+1>>set" offsets into set
 *
 * No include guard: host_*.c and device_*.cu include it once each, with their own `real`.     */
#include "table.h"
#ifdef REAL_IS_F32
typedef f32 real;
#define SUFFIX _f32
#else
typedef f64 real;
#define SUFFIX _f64
#endif
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(a) #a
#define STR(a) STR_(a)
#define P(name) CAT(name, SUFFIX) /* flux_roe -> flux_roe_f64 */
#define N(name) CAT(name, DIM_SUFFIX) /* of a dimension: gas_flux in the plane, gas_flux_3d in space */
/* Name of a variant, VARIANT, in a dimension: OF(bc) is bc_outlet, OF(bc, _jacobian) is bc_outlet_jacobian. */
#define OF(name, ...) N(CAT(CAT(name, VARIANT), __VA_ARGS__))
#define UNUSED __attribute__((unused))
#define R(x) ((real)(x)) /* every non-integer literal is R(0.5) */

#define DECL_in(T, x) const T *__restrict__ x
#define DECL_near(T, x) const T *__restrict__ x
#define DECL_opt(T, x) const T *__restrict__ x
#define DECL_opt_near(T, x) const T *__restrict__ x
#define DECL_out(T, x) T *__restrict__ x
#define DECL_rw(T, x) T *__restrict__ x
#define DECL_inc(T, x) T *__restrict__ x
#define DECL_upd(T, x) T *x
#define DECL_val(T, x) T x
#define DECL_size(T, x) T x
#define MEMBER(m, T, x, shape) DECL_##m(T, x);
#define PARAM(m, T, x, shape) , DECL_##m(T, x) UNUSED
#define NAME(m, T, x, shape) , x
#define LOCAL(m, T, x, shape) DECL_##m(T, x) = a_->x;
#define ROW(m, T, x, shape) {#x, #m, STR(T), shape, offsetof(P_args_, x)},

#define OP_sum(a, b) ((a) + (b))
#define OP_max(a, b) ((a) > (b) ? (a) : (b))
#define INIT_sum 0.0
#define INIT_max (-1e300)

/* FIELDS(PARAM) are the parameters of a function that a kernel's body calls with FIELDS(NAME), each with
 * the comma before it: what several kernels of these fields share.
 * The second level lets a kernel's name be made by a macro (block_product_4). */
#define KERNEL(k, FIELDS, loop) KERNEL_LOOP(k, FIELDS, loop)
/* An item with `width` independent lanes, such as the rows of a matrix block: one thread per lane
 * on a device, so that neighbouring threads read neighbouring numbers; one vector on a host.  The
 * body works on the lanes lane .. lane + WIDTH(width) - 1.                                       */
#define LANES(k, FIELDS, loop, width) KERNEL_LANES(k, FIELDS, loop, width)
/* Each number of item i that is one of its lanes' own, of `width` side by side. */
#define EACH_LANE(k, width) for (i32 k = (width)*i + lane; k < (width)*i + lane + WIDTH(width); k++)
/* Lanes that share the satellites of an item: lane l takes entries l, l + PARTS(width), ... and
 * `together` gives each lane the sum of what all have found, so that an item waits for a part of
 * its loads only.  A host has one lane, which takes all.  width: a power of 2 up to 32.          */
#define TEAM(k, FIELDS, loop, width) KERNEL_TEAM(k, FIELDS, loop, width)
/* NEIGHBOURS(first, end, parts), once in a body: the entries first, first + parts, ... before end; and
 * for each of them, e, and its neighbour j, EACH_NEIGHBOUR(e, j) { }.  A device reads a neighbour's
 * number while the one before is at work, and the first where NEIGHBOURS stands: best before the
 * question whether the member is active, as one load that waits for another is what small kernels
 * take their time for.                                                                          */
/* Address of block i of b numbers: matrices hold more numbers than 32 bits count. */
#define BLOCK_AT(matrix, b, i) ((matrix) + (ptrdiff_t)(b) * (i))
/* Entry (i, j) of a block of size b: columns are contiguous, the lanes' rows side by side. */
#define ENTRY(b, i, j) ((b) * (j) + (i))
/* Sums (or maxima) of nv quantities over each group of items offsets[g] .. offsets[g+1]-1, in
 * an order that depends on nothing but the group, so that a member's sums are those of its solo
 * run.  The body adds what item i gives to s.  Fields named `offsets` and `sums` are required. */
#define REDUCE(k, FIELDS, op, nv) KERNEL_REDUCE(k, FIELDS, op, nv)
/* REDUCE over each member m where `wanted` (an expression of m) holds: the group that ends last
 * puts all of them together, again in an order that is the member's own, and hands the sums to the
 * body of OF_MEMBER.  Fields TOTALS (of the items' set) and `parts` (groups,nv) are required, and a
 * launch over all groups.                                                                       */
#define TOTAL(k, FIELDS, op, nv, wanted) KERNEL_TOTAL(k, FIELDS, op, nv, wanted)
#define OF_MEMBER(k, FIELDS) KERNEL_OF_MEMBER(k, FIELDS)
#define KERNEL_OF_MEMBER(k, FIELDS) HD void P(k##_of)(const i32 m, const f64 *s FIELDS(PARAM))
#define TOTALS(F, set)                                                                       \
  F(in, i32, offsets, "groups+1>>" set)                                                      \
  F(in, i32, owner, "groups>members")                                                        \
  F(in, i32, groups, "members+1>>groups")                                                    \
  F(rw, i32, ended, "members") /* groups, on a device; zero before and after */
/* s_: what every step-th item of group g_ gives, from item `from` on. */
#define GROUP_ITEMS(k, FIELDS, op, nv, from, step)                                           \
  f64 s_[nv];                                                                                \
  for (i32 v_ = 0; v_ < nv; v_++) s_[v_] = INIT_##op;                                        \
  for (i32 i = offsets[g_] + (from); i < offsets[g_ + 1]; i += (step)) P(k##_at)(i, s_ FIELDS(NAME))

#ifdef __CUDACC__
#include "kernel_cuda.h"
#else
#include "kernel_host.h"
#endif

/* Sum in memory that several threads add to: its bits depend on their order. */
HD void add(real *to, const real x)
{
#ifdef __CUDACC__
  atomicAdd(to, x);
#else
#pragma omp atomic
  *to += x;
#endif
}

/* The sum over a team's lanes, the same in every lane. */
HD real together(real part, i32 width UNUSED)
{
#ifdef __CUDACC__
  const unsigned team = team_lanes(width);
  for (i32 half = width / 2; half > 0; half /= 2) part += __shfl_xor_sync(team, part, half);
#endif
  return part;
}

/* The largest of what a team's lanes have found, the same in every lane. */
HD real largest_together(real part, i32 width UNUSED)
{
#ifdef __CUDACC__
  const unsigned team = team_lanes(width);
  for (i32 half = width / 2; half > 0; half /= 2) {
    const real other = __shfl_xor_sync(team, part, half);
    part             = other > part ? other : part;
  }
#endif
  return part;
}

HD f64 together_f64(f64 part, i32 width UNUSED)
{
#ifdef __CUDACC__
  const unsigned team = team_lanes(width);
  for (i32 half = width / 2; half > 0; half /= 2) part += __shfl_xor_sync(team, part, half);
#endif
  return part;
}

/* Number that lane `lane` of a team has; each may ask another lane. */
HD i32 lane_i32(i32 own, i32 lane UNUSED, i32 width UNUSED)
{
#ifdef __CUDACC__
  own = __shfl_sync(team_lanes(width), own, lane, width);
#endif
  return own;
}

HD f64 lane_f64(f64 own, i32 lane UNUSED, i32 width UNUSED)
{
#ifdef __CUDACC__
  own = __shfl_sync(team_lanes(width), own, lane, width);
#endif
  return own;
}

/* Lanes of a team of 32 for which it is so, a bit each. */
HD uint32_t lanes_with(i32 so)
{
#ifdef __CUDACC__
  return __ballot_sync(0xffffffffu, so);
#else
  return so != 0;
#endif
}

/* Number of the lowest bit that is set, of one or more. */
HD i32 lowest_bit(uint32_t bits)
{
#ifdef __CUDACC__
  return __ffs((int)bits) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

/* Lanes of a team of 32 that have this lane's number, a bit each. */
HD uint32_t lanes_like(i32 own UNUSED)
{
#ifdef __CUDACC__
  return __match_any_sync(0xffffffffu, own);
#else
  return 1;
#endif
}

/* Number of bits that are set. */
HD i32 bits_set(uint32_t bits)
{
#ifdef __CUDACC__
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

/* Number of those before that of a lane. */
HD i32 bits_before(uint32_t bits, i32 lane)
{
  return bits_set(bits & ((1u << lane) - 1));
}

/* Each lane of a team of 32 sees what the others have written in its memory (TEAM_MEMORY). */
HD void team_step(void)
{
#ifdef __CUDACC__
  __syncwarp();
#endif
}

/* Puts a lane's number where `none` stands; 0 where another one does. */
HD i32 claim(i32 *place, i32 none, i32 own)
{
#ifdef __CUDACC__
  return atomicCAS(place, none, own) == none;
#else
  if (*place != none) return 0;
  *place = own;
  return 1;
#endif
}

/* First fault wins, whatever the order of threads: the smallest (code, entity) is kept in one
 * word per member; ~0 means none.  Codes are in the order of a step (physics/fault.h).        */
HD void fault(u64 *word, i32 code, i32 entity)
{
  const u64 key = ((u64)code << 32) | (uint32_t)entity;
#ifdef __CUDACC__
  atomicMin((unsigned long long *)word, (unsigned long long)key);
#else
  u64 old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (key < old &&
         !__atomic_compare_exchange_n(word, &old, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
