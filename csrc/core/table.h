/* table.h - what Python knows about a kernel: its name, the set it loops over, its fields.
 * The rows are made by kernel.h from the one field list of each kernel.                     */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef int32_t  i32;
typedef uint64_t u64;
typedef float    f32;
typedef double   f64;

#define MAX_FIELDS 40

/* Threads of a block on a device.  Teams wait for memory, each thread with many registers: in smaller
 * blocks one takes the place of another sooner.                                                 */
#define BLOCK      256
#define TEAM_BLOCK 128

/* Numbers of an array, of a matrix its blocks: kernels count them in i32, and the threads of a last block and
 * sums in steps of a block count up to a block further.                                         */
#define MOST_ENTRIES (INT32_MAX - BLOCK)

struct field {
  const char *name, *mode, *type, *shape;
  size_t      offset;
};

/* Every argument struct starts with this head: items first .. first+count-1 of a set of n. */
struct range {
  i32 first, count, n;
};

struct kernel {
  const char *name, *over; /* over: the set whose extent is n */
  const struct field *(*fields)(void);
  void (*host)(const void *args);
  size_t args_size, real_size;
  int    lanes; /* threads per item on a device; 0: a thread block per item (a reduction) */
  int    block; /* the most threads of a block there */
};

/* A number of the kernels that Python reads. */
struct constant {
  const char *name;
  double      value;
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct kernel   kernels_f32[], kernels_f64[];
extern const struct constant constants[]; /* the last one has no name */
#ifdef __cplusplus
}
#endif
