/* kernel.h - a kernel body is written once, in the common subset of C11 and C++17: gcc makes an
 * OpenMP loop of it, nvcc a __global__ function.  One field list F(mode, type, name, shape)
 * expands into struct members, parameters, arguments, locals and the rows that Python reads.
 *
 *   modes   in    read only                      out  every entry is written
 *           rw    read and written               upd  written at own index, neighbours read
 *           inc   accumulated (faults)           opt  read only, may be absent (null)
 *           val   scalar, frozen in a recording  size the extent of the set, filled in by bind
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
#define UNUSED __attribute__((unused))
#define R(x) ((real)(x)) /* every non-integer literal is R(0.5) */

#define DECL_in(T, x) const T *__restrict__ x
#define DECL_opt(T, x) const T *__restrict__ x
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
/* KEEP(type, name, count, width): `count` numbers of an item that all of its satellites ask for, or that
 * are asked for at last, which a device keeps out of its registers, in the memory that a block shares.
 * BRING(name, k, count, width, from) sends for KEPT(name, k, width) and those behind it, from[0] to
 * from[count - 1], the team's lanes in turn; nobody waits until arrived(width).  A loop over
 * neighbours waits when the first one's numbers are on their way, too: ARRIVED_ALONE(width) before it,
 * for the items with too few neighbours for all lanes to meet there, and in it ARRIVED(e, width).  */

/* s_: what every step-th item of group g_ gives, from item `from` on. */
#define GROUP_ITEMS(k, FIELDS, op, nv, from, step)                                           \
  f64 s_[nv];                                                                                \
  for (i32 v_ = 0; v_ < nv; v_++) s_[v_] = INIT_##op;                                        \
  for (i32 i = offsets[g_] + (from); i < offsets[g_ + 1]; i += (step)) P(k##_at)(i, s_ FIELDS(NAME))

#ifdef __CUDACC__
#include <cuda_pipeline.h>
#define HD static __device__ __forceinline__
/* Blocks of lanes that must fit on a multiprocessor at once: arithmetic wants many, while products
 * with matrices do best with the few registers that nvcc gives them when left alone.            */
#define RESIDENT_indirect 1
#define RESIDENT_heavy 1
#define RESIDENT_busy 4
/* Blocks of items without lanes: `wide` ones hold more numbers than the registers of three. */
#define BLOCKS_direct 3
#define BLOCKS_indirect 3
#define BLOCKS_heavy 3
#define BLOCKS_wide 2
/* Blocks of groups: nvcc, left alone, gives the many numbers of a maximum twice the registers. */
#define BOUNDS_sum __launch_bounds__(BLOCK)
#define BOUNDS_max __launch_bounds__(BLOCK, 3)
#define KERNEL_LOOP(k, FIELDS, loop)                                                         \
  HD void P(k##_at)(const i32 i, const i32 n UNUSED FIELDS(PARAM));                          \
  static __global__ void __launch_bounds__(BLOCK, BLOCKS_##loop)                             \
      P(k##_device)(i32 first_, i32 count_, i32 n FIELDS(PARAM))                             \
  {                                                                                          \
    const i32 i = (i32)(blockIdx.x * blockDim.x + threadIdx.x);                              \
    if (i < count_) P(k##_at)(first_ + i, n FIELDS(NAME));                                   \
  }                                                                                          \
  HD void P(k##_at)(const i32 i, const i32 n UNUSED FIELDS(PARAM))
#define WIDTH(width) 1
#define PARTS(width) (width)
#define NEIGHBOURS(first, end, parts)                                                        \
  const i32 step_ = parts, entry_ = first, last_ = (end) - 1;                                \
  i32       ahead_ = entry_ <= last_ ? neighbour[entry_] : 0
#define EACH_NEIGHBOUR(e, j)                                                                 \
  for (i32 e = entry_, j; e <= last_ && (j = ahead_,                                         \
       ahead_ = neighbour[e + step_ < last_ ? e + step_ : last_], 1); e += step_)
#define KEEP(type, name, count, width)                                                       \
  __shared__ type name##_[(count) * (TEAM_BLOCK / (width))];                                 \
  volatile type *const name = name##_ + threadIdx.x / (width)
#define KEPT(name, k, width) name[(k) * (TEAM_BLOCK / (width))]
#define BRING(name, k, count, width, from)                                                   \
  for (i32 k_ = 0; k_ < (count); k_++)                                                       \
    if (k_ % (width) == lane)                                                                \
  __pipeline_memcpy_async((void *)&KEPT(name, (k) + k_, width), (from) + k_, sizeof *name)
#define ARRIVED_ALONE(width)                                                                 \
  const i32 alone_ = last_ + lane < entry_ + (width) - 1;                                    \
  if (alone_) arrived(width)
#define ARRIVED(e, width) if (e == entry_ && !alone_) arrived(width)
#define KERNEL_TEAM(k, FIELDS, loop, width)                                                  \
  KERNEL_SPREAD(k, FIELDS, TEAM_BLOCK, BLOCK / TEAM_BLOCK * BLOCKS_##loop, width)
#define KERNEL_LANES(k, FIELDS, loop, width)                                                 \
  KERNEL_SPREAD(k, FIELDS, BLOCK, RESIDENT_##loop, width)
#define KERNEL_SPREAD(k, FIELDS, block, blocks, width)                                       \
  HD void P(k##_at)(const i32 i, const i32 lane, const i32 n UNUSED FIELDS(PARAM));          \
  static __global__ void __launch_bounds__(block, blocks)                                    \
      P(k##_device)(i32 first_, i32 count_, i32 n FIELDS(PARAM))                             \
  {                                                                                          \
    const u64 t_ = (u64)blockIdx.x * blockDim.x + threadIdx.x;                               \
    const i32 i  = (i32)(t_ / (width));                                                      \
    if (i < count_) P(k##_at)(first_ + i, (i32)(t_ % (width)), n FIELDS(NAME));              \
  }                                                                                          \
  HD void P(k##_at)(const i32 i, const i32 lane, const i32 n UNUSED FIELDS(PARAM))
/* The sum over a warp, in its first lane; the maximum, in every lane: those of the upper and of the lower
 * words of numbers that order as float64 do, which a device finds at once.                      */
HD f64 warp_sum(f64 x)
{
  for (i32 half = 16; half > 0; half /= 2) x += __shfl_down_sync(0xffffffffu, x, half);
  return x;
}

HD f64 warp_max(f64 x)
{
#if __CUDA_ARCH__ >= 800
  const long long sign = 0x7fffffffffffffffLL;
  long long       bits = __double_as_longlong(x);
  bits ^= bits >> 63 & sign;
  const int      high = (int)(bits >> 32), top = __reduce_max_sync(0xffffffffu, high);
  const unsigned low = __reduce_max_sync(0xffffffffu, high == top ? (unsigned)bits : 0u);
  bits               = (long long)((u64)(unsigned)top << 32 | low);
  return __longlong_as_double(bits ^ (bits >> 63 & sign));
#else
  for (i32 half = 16; half > 0; half /= 2) {
    const f64 other = __shfl_xor_sync(0xffffffffu, x, half);
    x               = OP_max(x, other);
  }
  return x;
#endif
}

/* The sum (or maximum) over a block of what its threads have found in s_, in all_ of thread v < nv. */
#define BLOCK_TOGETHER(op, nv)                                                               \
    for (i32 v_ = 0; v_ < nv; v_++) {                                                        \
      s_[v_] = warp_##op(s_[v_]);                                                            \
      if (t_ % 32 == 0) part_[t_ / 32][v_] = s_[v_];                                         \
    }                                                                                        \
    __syncthreads();                                                                         \
    f64 all_ = t_ < nv ? part_[0][t_] : INIT_##op;                                           \
    for (i32 w_ = 1; w_ < BLOCK / 32 && t_ < nv; w_++) all_ = OP_##op(all_, part_[w_][t_])
#define KERNEL_REDUCE(k, FIELDS, op, nv)                                                     \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM));                                      \
  static __global__ void BOUNDS_##op                                                         \
      P(k##_device)(i32 first_, i32 count_ UNUSED, i32 n UNUSED FIELDS(PARAM))               \
  {                                                                                          \
    const i32 g_ = first_ + (i32)blockIdx.x, t_ = (i32)threadIdx.x;                          \
    __shared__ f64 part_[BLOCK / 32][nv];                                                    \
    GROUP_ITEMS(k, FIELDS, op, nv, t_, BLOCK);                                               \
    BLOCK_TOGETHER(op, nv);                                                                  \
    if (t_ < nv) sums[g_ * nv + t_] = all_;                                                  \
  }                                                                                          \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM))
/* Every thread that writes a part puts a fence behind it before the block is counted; parts of other
 * groups are read past the first-level cache, which may hold what they were before.             */
#define KERNEL_TOTAL(k, FIELDS, op, nv, wanted)                                              \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM));                                      \
  HD void P(k##_of)(const i32 m, const f64 *s FIELDS(PARAM));                                \
  static __global__ void BOUNDS_##op                                                         \
      P(k##_device)(i32 first_, i32 count_ UNUSED, i32 n UNUSED FIELDS(PARAM))               \
  {                                                                                          \
    const i32 g_ = first_ + (i32)blockIdx.x, t_ = (i32)threadIdx.x, m = owner[g_];           \
    __shared__ f64 part_[BLOCK / 32][nv];                                                    \
    __shared__ f64 total_[nv];                                                               \
    __shared__ i32 last_;                                                                    \
    if (!(wanted)) return;                                                                   \
    GROUP_ITEMS(k, FIELDS, op, nv, t_, BLOCK);                                               \
    {                                                                                        \
      BLOCK_TOGETHER(op, nv);                                                                \
      if (t_ < nv) parts[g_ * nv + t_] = all_, __threadfence();                              \
    }                                                                                        \
    __syncthreads();                                                                         \
    if (t_ == 0) last_ = atomicAdd(&ended[m], 1) == groups[m + 1] - groups[m] - 1;           \
    __syncthreads();                                                                         \
    if (!last_) return;                                                                      \
    __threadfence();                                                                         \
    for (i32 v_ = 0; v_ < nv; v_++) s_[v_] = INIT_##op;                                      \
    for (i32 i = groups[m] + t_; i < groups[m + 1]; i += BLOCK)                              \
      for (i32 v_ = 0; v_ < nv; v_++) {                                                      \
        const f64 other_ = __ldcg(parts + i * nv + v_);                                      \
        s_[v_]           = OP_##op(s_[v_], other_);                                          \
      }                                                                                      \
    {                                                                                        \
      BLOCK_TOGETHER(op, nv);                                                                \
      if (t_ < nv) total_[t_] = all_;                                                        \
    }                                                                                        \
    __syncthreads();                                                                         \
    if (t_) return;                                                                          \
    ended[m] = 0;                                                                            \
    P(k##_of)(m, total_ FIELDS(NAME));                                                       \
  }                                                                                          \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM))
#else
#include <string.h>
#include <tgmath.h> /* sqrt(float) stays float in C, as in C++ */
#define HD static inline __attribute__((always_inline))
/* Threads pay from some thousand light items on; a heavy item (a matrix row) is worth ten,
 * and a busy one has more arithmetic than memory. */
#define LOOP_direct _Pragma("omp parallel for simd schedule(static) if (count_ > 8192)")
#define LOOP_indirect _Pragma("omp parallel for schedule(static) if (count_ > 1024)")
#define LOOP_busy LOOP_heavy
#define LOOP_wide LOOP_heavy
#define LOOP_heavy _Pragma("omp parallel for schedule(static) if (count_ > 128)")
#define HOST_TABLE(k, FIELDS)                                                                \
  static const struct field *P(k##_fields)(void)                                             \
  {                                                                                          \
    typedef P(k##_args) P_args_;                                                             \
    static const struct field rows[] = {FIELDS(ROW){0}};                                     \
    return rows;                                                                             \
  }
#define HOST_ARGS(k, FIELDS)                                                                 \
  typedef struct {                                                                           \
    struct range range_;                                                                     \
    FIELDS(MEMBER)                                                                           \
  } P(k##_args)
#define HOST_GROUPS(k, FIELDS)                                                               \
  static void P(k##_host)(const void *args_)                                                 \
  {                                                                                          \
    const P(k##_args) *a_ = args_;                                                           \
    const i32          first_ = a_->range_.first, count_ = a_->range_.count;                 \
    FIELDS(LOCAL)                                                                            \
    _Pragma("omp parallel for schedule(static) if (count_ > 4)")                             \
    for (i32 g_ = first_; g_ < first_ + count_; g_++)
#define INDEX_single i
#define INDEX_lanes i, 0
#define TAKES_single const i32 i
#define TAKES_lanes const i32 i, const i32 lane
#define WIDTH(width) (width)
#define PARTS(width) 1
#define NEIGHBOURS(first, end, parts)                                                        \
  const i32 entry_ = first, end_ = end, step_ = parts
#define EACH_NEIGHBOUR(e, j) for (i32 e = entry_, j; e < end_ && (j = neighbour[e], 1); e += step_)
#define KEEP(type, name, count, width) type name[count]
#define KEPT(name, k, width)           name[k]
#define BRING(name, k, count, width, from)                                                   \
  for (i32 k_ = 0; k_ < (count); k_++) KEPT(name, (k) + k_, width) = (from)[k_]
#define ARRIVED_ALONE(width) (void)0
#define ARRIVED(e, width)    (void)0
#define KERNEL_TEAM(k, FIELDS, loop, width) KERNEL_LANES(k, FIELDS, loop, width)
#define KERNEL_LOOP(k, FIELDS, loop) KERNEL_HOST(k, FIELDS, loop, single)
#define KERNEL_LANES(k, FIELDS, loop, width) KERNEL_HOST(k, FIELDS, loop, lanes)
#define KERNEL_HOST(k, FIELDS, loop, kind)                                                   \
  HD void P(k##_at)(TAKES_##kind, const i32 n UNUSED FIELDS(PARAM));                         \
  HOST_ARGS(k, FIELDS);                                                                      \
  static void P(k##_host)(const void *args_)                                                 \
  {                                                                                          \
    const P(k##_args) *a_ = args_;                                                           \
    const i32 first_ = a_->range_.first, count_ = a_->range_.count, n = a_->range_.n;        \
    FIELDS(LOCAL) /* pointers in locals: through a_-> gcc reloads them for every item */     \
    LOOP_##loop for (i32 i = first_; i < first_ + count_; i++)                               \
      P(k##_at)(INDEX_##kind, n FIELDS(NAME));                                               \
  }                                                                                          \
  HOST_TABLE(k, FIELDS)                                                                      \
  HD void P(k##_at)(TAKES_##kind, const i32 n UNUSED FIELDS(PARAM))
#define KERNEL_REDUCE(k, FIELDS, op, nv)                                                     \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM));                                      \
  HOST_ARGS(k, FIELDS);                                                                      \
  HOST_GROUPS(k, FIELDS) {                                                                   \
      GROUP_ITEMS(k, FIELDS, op, nv, 0, 1);                                                  \
      for (i32 v_ = 0; v_ < nv; v_++) sums[g_ * nv + v_] = s_[v_];                           \
    }                                                                                        \
  }                                                                                          \
  HOST_TABLE(k, FIELDS)                                                                      \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM))
/* Groups of a member follow each other; its total is made where the first of them is. */
#define KERNEL_TOTAL(k, FIELDS, op, nv, wanted)                                              \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM));                                      \
  HD void P(k##_of)(const i32 m, const f64 *s FIELDS(PARAM));                                \
  HOST_ARGS(k, FIELDS);                                                                      \
  HOST_GROUPS(k, FIELDS) {                                                                   \
      const i32 m UNUSED = owner[g_];                                                        \
      if (!(wanted)) continue;                                                               \
      GROUP_ITEMS(k, FIELDS, op, nv, 0, 1);                                                  \
      for (i32 v_ = 0; v_ < nv; v_++) parts[g_ * nv + v_] = s_[v_];                          \
    }                                                                                        \
    for (i32 g_ = first_; g_ < first_ + count_; g_++) {                                      \
      const i32 m = owner[g_];                                                               \
      f64       s_[nv];                                                                      \
      if (g_ > groups[m] || !(wanted)) continue;                                             \
      for (i32 v_ = 0; v_ < nv; v_++) s_[v_] = INIT_##op;                                    \
      for (i32 i = groups[m]; i < groups[m + 1]; i++)                                        \
        for (i32 v_ = 0; v_ < nv; v_++) s_[v_] = OP_##op(s_[v_], parts[i * nv + v_]);        \
      P(k##_of)(m, s_ FIELDS(NAME));                                                         \
    }                                                                                        \
  }                                                                                          \
  HOST_TABLE(k, FIELDS)                                                                      \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM))
#endif

#ifdef __CUDACC__
/* The lanes of a thread's team, as a mask of its warp. */
HD unsigned team_lanes(i32 width)
{
  return 0xffffffffu >> (32 - width) << threadIdx.x % 32 / (unsigned)width * (unsigned)width;
}
#endif

/* What the lanes of a team have sent for is there for all of them. */
HD void arrived(i32 width UNUSED)
{
#ifdef __CUDACC__
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp(team_lanes(width));
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
