/* kernel_cuda.h - what nvcc makes of a kernel (kernel.h): a __global__ function k_device over the items
 * first_ .. first_ + count_ - 1 around the body k_at.                                           */
#define HD static __device__ __forceinline__
/* Blocks of lanes that must fit on a multiprocessor at once; the more, the fewer registers nvcc gives a
 * thread.  Kernels with much arithmetic are faster with four; products with matrices with one, which
 * leaves the choice to nvcc.                                                                    */
#define RESIDENT_indirect 1
#define RESIDENT_heavy 1
#define RESIDENT_busy 4
/* The count for items without lanes: `wide` kernels hold more numbers than a thread of three blocks has
 * registers, `busy` ones more than one of two. */
#define BLOCKS_direct 3
#define BLOCKS_indirect 3
#define BLOCKS_heavy 3
#define BLOCKS_wide 2
#define BLOCKS_busy 1
/* The count for groups: to the many numbers of a maximum nvcc, left alone, gives twice the registers. */
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
#define AHEAD 0
#define FETCH(first, last) ((void)0) /* other warps are at work while one waits */
#define ONCE(x) once(&(x))
HD f32 once(const f32 *x)
{
#if __CUDA_ARCH__ >= 800
  u64 policy;
  f32 y;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(y) : "l"(x), "l"(policy));
  return y;
#else
  return *x;
#endif
}

HD f64 once(const f64 *x)
{
  return *x;
}
#define WIDTH(width) 1
#define PARTS(width) (width)
#define NEIGHBOURS(first, end, parts)                                                        \
  const i32 step_ = parts, entry_ = first, last_ = (end) - 1;                                \
  i32       ahead_ = entry_ <= last_ ? neighbour[entry_] : 0
#define EACH_NEIGHBOUR(e, j)                                                                 \
  for (i32 e = entry_, j; e <= last_ && (j = ahead_,                                         \
       ahead_ = neighbour[e + step_ < last_ ? e + step_ : last_], 1); e += step_)
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
/* Before a loop whose arrays are to be registers. */
#define UNROLL _Pragma("unroll")
/* A pointer to memory that the lanes of a team of 32 share. */
#define TEAM_MEMORY(type, name)                                                              \
  __shared__ type name##_of_[TEAM_BLOCK / 32];                                               \
  type *const     name = name##_of_ + threadIdx.x / 32
/* The sum over a warp, in its first lane; the maximum, in every lane.  A device finds the maximum of i32
 * over a warp at once: bits of float64, those behind the sign turned where it is set, order like i64, of
 * which the upper words are compared first, then the lower words of those with the largest upper one. */
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
 * groups are read past the first-level cache, which may hold what they were before.
 * All threads of a block reach each barrier, or none: m, `wanted` and last_ are one for the block.  What
 * `wanted` reads may change in the body of OF_MEMBER alone, which runs when all blocks of m have read it. */
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

/* The lanes of a thread's team, as a mask of its warp. */
HD unsigned team_lanes(i32 width)
{
  return 0xffffffffu >> (32 - width) << threadIdx.x % 32 / (unsigned)width * (unsigned)width;
}
