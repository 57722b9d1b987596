/* stream.h - what launch.cu and graph.cu share. */
#pragma once
#include "device.h"

#include <cuda_runtime.h>

static_assert(CUDART_VERSION >= 12000, "CUDA 12.0 or later");

#define LEAST 64 /* threads of the smallest blocks */
#define HEAD  3  /* struct range: first, count, n */

/* Every function of device.h first says what it does, for the message of an error. */
extern thread_local const char *where;

/* An error of one call must not come back from the next one that looks for errors. */
static inline int status(cudaError_t error)
{
  if (error != cudaSuccess) (void)cudaGetLastError();
  return (int)error;
}
#define TRY(call)                   \
  do {                              \
    const int code_ = status(call); \
    if (code_) return code_;        \
  } while (0)

/* The device's stream, made at first use; the device becomes the thread's current one. */
cudaError_t use(int device, cudaStream_t *stream);

/* Blocks of a launch (0 where there is nothing to do: CUDA refuses an empty grid), threads of each. */
struct shape {
  unsigned blocks, block;
};

/* Addresses of a kernel's arguments: the head of its argument struct, then field by field. */
struct shape arguments(const struct kernel *kernel, void *args, void **argv);
