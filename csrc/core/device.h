/* device.h - what the Python side of _cuda asks of CUDA: memory, copies, launches and graphs.
 * One stream per device carries everything, in the order of the calls.  0 is good; otherwise a
 * code for device_text is returned.  Nothing here prints, exits or knows of Python.  The calling
 * thread's current device is the one it worked on last: going back to another could start up a
 * device that this process never asked for.                                                   */
#pragma once
#include "table.h"

enum {
  DEVICE_MIXED  = -1, /* a recording whose calls are on two devices */
  DEVICE_DEEP   = -2, /* too many recordings with a flag inside each other */
  DEVICE_HOST   = -3, /* a pointer that no device can reach */
  DEVICE_MEMORY = 2   /* cudaErrorMemoryAllocation */
};

struct device_info {
  char   name[256], pci[32]; /* pci: domain:bus:device.function, whatever the ordinals are */
  size_t bytes, free_bytes;
  int    major, minor, multiprocessors;
};

struct graph; /* being built, then executable */

/* A piece of memory that a kernel reads, or writes. */
struct span {
  const char *from, *to;
  int         written;
};

#ifdef __cplusplus
extern "C" {
#endif
const char *device_text(int code);
const char *device_where(void);                         /* what this thread asked for when it met the last error */
void        device_versions(int *driver, int *runtime); /* 13000 is 13.0; driver 0: there is none */
int         device_count(int *count);
int         device_describe(int device, struct device_info *to);
int         device_room(int device, size_t *free_bytes, size_t *bytes);
int         device_stream(int device, void **stream);
int         device_synchronize(int device);
int         device_bandwidth(int device, size_t bytes, double *gigabytes_per_second);

int  device_alloc(int device, size_t bytes, void **to); /* zeroed */
void device_free(int device, void *memory);             /* after all work on it */
int  device_put(int device, void *to, const void *host, size_t bytes);
int  device_get(int device, void *host, const void *from, size_t bytes);
int  device_of(const void *memory, int *device);      /* where others allocated it */
int  device_await(int device, void *stream, int all); /* others' work: on a stream, or all of it */
int  device_precede(int device, void *stream);        /* others' stream goes on after our work */

const void *device_function(const struct kernel *kernel);
int         device_launch(int device, const struct kernel *kernel, const void *function, void *args);

/* A graph of kernels, in the order that their memory asks for (order.h).  open .. close is a loop that ends
 * on the device, after `times` rounds or when `flag` holds nothing but zeros; it begins when all before it
 * has ended, and what follows waits for it.  Nothing is captured, so nothing is left open.      */
int  graph_loops(void); /* can this driver do that? */
int  graph_begin(int device, struct graph **to);
int  graph_kernel(struct graph *g, const struct kernel *kernel, const void *function, void *args,
                  const struct span *span, int spans);
int  graph_open(struct graph *g, const i32 *flag, i32 count, i32 times);
int  graph_close(struct graph *g);
int  graph_finish(struct graph *g);
int  graph_launch(struct graph *g);
void graph_drop(struct graph *g); /* waits until it no longer runs */
#ifdef __cplusplus
}
#endif
