/* launch.cu - the one place where kernels and memory meet CUDA.  See device.h. */
#include "stream.h"

#include <mutex>

static_assert(DEVICE_MEMORY == (int)cudaErrorMemoryAllocation, "device.h");

#define MAX_DEVICES 64

thread_local const char *where = "";

/* The stream and the legacy default stream wait for each other: a library that ignores the stream
 * in __cuda_array_interface__ (PyTorch) still sees our results.                                 */
cudaError_t use(int device, cudaStream_t *stream)
{
  static std::mutex   lock;
  static cudaStream_t streams[MAX_DEVICES];
  if (device < 0 || device >= MAX_DEVICES) return cudaErrorInvalidDevice;
  cudaError_t error = cudaSetDevice(device);
  if (error != cudaSuccess) return error;
  std::lock_guard<std::mutex> hold(lock);
  if (!streams[device]) error = cudaStreamCreate(&streams[device]);
  *stream = streams[device];
  return error;
}

extern "C" const char *device_text(int code)
{
  switch (code) {
  case DEVICE_MIXED: return "the recording has calls or a flag on different devices, expected one";
  case DEVICE_DEEP: return "more than 8 recordings with a flag inside each other, expected fewer";
  case DEVICE_HOST: return "memory that no CUDA device can reach";
  default: return cudaGetErrorString((cudaError_t)code);
  }
}

extern "C" const char *device_where(void)
{
  return where;
}

extern "C" void device_versions(int *driver, int *runtime)
{
  *driver = *runtime = 0;
  (void)status(cudaDriverGetVersion(driver));
  (void)status(cudaRuntimeGetVersion(runtime));
}

extern "C" int device_count(int *count)
{
  where  = "device_count";
  *count = 0;
  return status(cudaGetDeviceCount(count));
}

extern "C" int device_room(int device, size_t *free_bytes, size_t *bytes)
{
  cudaStream_t stream;
  where = "free memory";
  TRY(use(device, &stream));
  return status(cudaMemGetInfo(free_bytes, bytes));
}

extern "C" int device_describe(int device, struct device_info *to)
{
  cudaDeviceProp p;
  const int      code = device_room(device, &to->free_bytes, &to->bytes);
  if (code) return code;
  where = "device_properties";
  TRY(cudaGetDeviceProperties(&p, device));
  TRY(cudaDeviceGetPCIBusId(to->pci, (int)sizeof to->pci, device));
  size_t i = 0;
  for (; i + 1 < sizeof to->name && i < sizeof p.name && p.name[i]; i++) to->name[i] = p.name[i];
  to->name[i]         = 0;
  to->major           = p.major;
  to->minor           = p.minor;
  to->multiprocessors = p.multiProcessorCount;
  return 0;
}

extern "C" int device_stream(int device, void **stream)
{
  where = "stream";
  return status(use(device, (cudaStream_t *)stream));
}

extern "C" int device_synchronize(int device)
{
  cudaStream_t stream;
  where = "synchronize (the work launched before it)";
  TRY(use(device, &stream));
  return status(cudaStreamSynchronize(stream));
}

/* Memory. */

extern "C" int device_alloc(int device, size_t bytes, void **to)
{
  cudaStream_t stream;
  where = "allocate";
  TRY(use(device, &stream));
  /* load_odd (kernels/shared/load.h) reads float64 in pairs, the last of which may end one number behind */
  const size_t whole = bytes ? (bytes + 15) / 16 * 16 : 16;
  TRY(cudaMalloc(to, whole));
  const int code = status(cudaMemsetAsync(*to, 0, whole, stream));
  if (code) (void)status(cudaFree(*to));
  return code;
}

extern "C" void device_free(int device, void *memory)
{
  cudaStream_t stream;
  if (status(use(device, &stream))) return; /* the driver has shut down: nothing left to free */
  (void)status(cudaStreamSynchronize(stream));
  (void)status(cudaFree(memory));
}

static int copy(int device, void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
  cudaStream_t stream;
  TRY(use(device, &stream));
  if (bytes) TRY(cudaMemcpyAsync(to, from, bytes, kind, stream));
  return status(cudaStreamSynchronize(stream));
}

extern "C" int device_put(int device, void *to, const void *host, size_t bytes)
{
  where = "copy to the device (or the work launched before it)";
  return copy(device, to, host, bytes, cudaMemcpyHostToDevice);
}

extern "C" int device_get(int device, void *host, const void *from, size_t bytes)
{
  where = "copy to the host (or the work launched before it)";
  return copy(device, host, from, bytes, cudaMemcpyDeviceToHost);
}

extern "C" int device_of(const void *memory, int *device)
{
  cudaPointerAttributes is;
  where = "memory of another library";
  TRY(cudaPointerGetAttributes(&is, memory));
  if (is.type != cudaMemoryTypeDevice && is.type != cudaMemoryTypeManaged) return DEVICE_HOST;
  *device = is.device;
  return 0;
}

extern "C" int device_await(int device, void *stream, int all)
{
  cudaStream_t ours;
  where = "another library's stream";
  TRY(use(device, &ours));
  return status(all ? cudaDeviceSynchronize() : cudaStreamSynchronize((cudaStream_t)stream));
}

extern "C" int device_precede(int device, void *stream)
{
  cudaStream_t ours;
  cudaEvent_t  now;
  where = "another library's stream";
  TRY(use(device, &ours));
  TRY(cudaEventCreateWithFlags(&now, cudaEventDisableTiming));
  int code = status(cudaEventRecord(now, ours));
  if (!code) code = status(cudaStreamWaitEvent((cudaStream_t)stream, now, 0));
  (void)status(cudaEventDestroy(now)); /* legal while it is waited for */
  return code;
}

/* Bytes read and written per second by copies on the device: what no kernel can pass. */
static int time_copies(cudaStream_t stream, char *a, char *b, size_t bytes, cudaEvent_t *event, double *rate)
{
  const int repeats      = 20;
  float     milliseconds = 0;
  for (int i = -2; i < repeats; i++) { /* two to warm up */
    if (i == 0) TRY(cudaEventRecord(event[0], stream));
    TRY(cudaMemcpyAsync(i & 1 ? a : b, i & 1 ? b : a, bytes, cudaMemcpyDeviceToDevice, stream));
  }
  TRY(cudaEventRecord(event[1], stream));
  TRY(cudaEventSynchronize(event[1]));
  TRY(cudaEventElapsedTime(&milliseconds, event[0], event[1]));
  *rate = 2e-6 * (double)bytes * repeats / (double)milliseconds;
  return 0;
}

extern "C" int device_bandwidth(int device, size_t bytes, double *rate)
{
  cudaStream_t stream;
  cudaEvent_t  event[2] = {};
  void        *a = nullptr, *b = nullptr;
  where    = "copy_bandwidth";
  int code = status(use(device, &stream));
  if (!code) code = status(cudaMalloc(&a, bytes));
  if (!code) code = status(cudaMalloc(&b, bytes));
  if (!code) code = status(cudaMemsetAsync(a, 0, bytes, stream));
  if (!code) code = status(cudaMemsetAsync(b, 0, bytes, stream));
  for (int i = 0; i < 2 && !code; i++) code = status(cudaEventCreate(&event[i]));
  if (!code) code = time_copies(stream, (char *)a, (char *)b, bytes, event, rate);
  for (int i = 0; i < 2; i++)
    if (event[i]) (void)status(cudaEventDestroy(event[i]));
  if (b) (void)status(cudaFree(b));
  if (a) (void)status(cudaFree(a));
  return code;
}

/* Kernels. */

extern "C" const void *const device_f32[], *const device_f64[];

extern "C" const void *device_function(const struct kernel *kernel)
{
  return kernel->real_size == 8 ? device_f64[kernel - kernels_f64] : device_f32[kernel - kernels_f32];
}

/* Few threads go to more multiprocessors in smaller blocks; those of a reduction's are counted on. */
static unsigned block_of(long long threads, int most)
{
  const long long multiprocessors = 128; /* about; some have fewer, which does no harm */
  unsigned        block           = (unsigned)most;
  while (block > LEAST && threads < multiprocessors * block) block /= 2;
  return block;
}

struct shape arguments(const struct kernel *kernel, void *args, void **argv)
{
  const struct range *r = (const struct range *)args;
  argv[0]               = (char *)args + offsetof(struct range, first);
  argv[1]               = (char *)args + offsetof(struct range, count);
  argv[2]               = (char *)args + offsetof(struct range, n);
  int at                = HEAD;
  for (const struct field *f = kernel->fields(); f->name; f++) argv[at++] = (char *)args + f->offset;
  const unsigned count = r->count > 0 ? (unsigned)r->count : 0;
  if (!kernel->lanes) return {count, (unsigned)kernel->block};
  const long long threads = (long long)count * kernel->lanes;
  const unsigned  block   = block_of(threads, kernel->block);
  return {(unsigned)((threads + block - 1) / block), block};
}

extern "C" int device_launch(int device, const struct kernel *kernel, const void *function, void *args)
{
  void              *argv[HEAD + MAX_FIELDS];
  cudaStream_t       stream;
  const struct shape s = arguments(kernel, args, argv);
  where                = kernel->name;
  if (!s.blocks) return 0;
  TRY(use(device, &stream));
  return status(cudaLaunchKernel(function, dim3(s.blocks), dim3(s.block), argv, 0, stream));
}
