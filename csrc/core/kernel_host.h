/* kernel_host.h - what gcc makes of a kernel (kernel.h): a struct k_args, an OpenMP loop k_host around the
 * body k_at, and the rows of fields k_fields that Python reads.                                  */
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
/* width: threads of an item on a device; block: the most of a block there (table.h). */
#define HOST_TABLE(k, FIELDS, width, block)                                                  \
  enum { P(k##_lanes) = width, P(k##_block) = block };                                       \
  static const struct field *P(k##_fields)(void)                                             \
  {                                                                                          \
    typedef P(k##_args) P_args_;                                                             \
    static const struct field rows[] = {FIELDS(ROW){0}};                                     \
    _Static_assert(sizeof rows <= sizeof *rows * (MAX_FIELDS + 1), "MAX_FIELDS in table.h"); \
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
#define UNROLL
#define TEAM_MEMORY(type, name)                                                              \
  type        name##_own_;                                                                   \
  type *const name = &name##_own_
#define NEIGHBOURS(first, end, parts)                                                        \
  const i32 entry_ = first, end_ = end, step_ = parts
#define EACH_NEIGHBOUR(e, j) for (i32 e = entry_, j; e < end_ && (j = neighbour[e], 1); e += step_)
/* Asks for the memory from first to last, which an item AHEAD of this one reads: for loops over what lies apart,
 * where a processor would wait for each (tetrahedra, 90 thousand nodes: sweeps in 0.40 of the time). */
#define AHEAD 8
#define FETCH(first, last)                                                                   \
  for (const char *at_ = (const char *)(first); at_ < (const char *)(last); at_ += 64) __builtin_prefetch(at_)
/* A number of float32 that a launch reads once, as entries of a matrix: the first to leave a device's cache, which
 * keeps the vectors (94 thousand nodes in the plane, H100: iterations in 0.84 of the time, tetrahedra 0.88). */
#define ONCE(x) (x)
#define KERNEL_LOOP(k, FIELDS, loop) KERNEL_HOST(k, FIELDS, loop, single, 1, BLOCK)
#define KERNEL_LANES(k, FIELDS, loop, width) KERNEL_HOST(k, FIELDS, loop, lanes, width, BLOCK)
#define KERNEL_TEAM(k, FIELDS, loop, width) KERNEL_HOST(k, FIELDS, loop, lanes, width, TEAM_BLOCK)
#define KERNEL_HOST(k, FIELDS, loop, kind, width, block)                                     \
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
  HOST_TABLE(k, FIELDS, width, block)                                                        \
  HD void P(k##_at)(TAKES_##kind, const i32 n UNUSED FIELDS(PARAM))
#define KERNEL_REDUCE(k, FIELDS, op, nv)                                                     \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM));                                      \
  HOST_ARGS(k, FIELDS);                                                                      \
  HOST_GROUPS(k, FIELDS) {                                                                   \
      GROUP_ITEMS(k, FIELDS, op, nv, 0, 1);                                                  \
      for (i32 v_ = 0; v_ < nv; v_++) sums[g_ * nv + v_] = s_[v_];                           \
    }                                                                                        \
  }                                                                                          \
  HOST_TABLE(k, FIELDS, 0, BLOCK)                                                            \
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
  HOST_TABLE(k, FIELDS, 0, BLOCK)                                                            \
  HD void P(k##_at)(const i32 i, f64 *s FIELDS(PARAM))
