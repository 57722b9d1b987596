/* graph.cu - recordings as CUDA graphs: chains of kernels, and loops that end on the device.  The
 * nodes are added by hand, not captured: no stream is left capturing after an error, and a loop's
 * body is built like the rest.                                                                  */
#include "stream.h"

#include <new>

#define MAX_DEPTH 8 /* loops inside each other */
#define CAN_LOOP  (CUDART_VERSION >= 12040)

struct level {
  cudaGraph_t     graph;
  cudaGraphNode_t last;
  const i32      *flag;
  i32             count, times;
#if CAN_LOOP
  cudaGraphConditionalHandle handle;
#endif
};

struct graph {
  int             device, depth;
  cudaGraph_t     whole;
  cudaGraphExec_t run;
  i32            *round; /* on the device: one counter per depth, as loops of one depth take turns */
  level           at[MAX_DEPTH + 1];
};

static int append_kernel(level *to, const void *function, struct shape shape, void **argv)
{
  cudaKernelNodeParams p = {};
  cudaGraphNode_t      node;
  p.func         = (void *)function;
  p.gridDim      = dim3(shape.blocks);
  p.blockDim     = dim3(shape.block);
  p.kernelParams = argv; /* the values are copied here and now */
  TRY(cudaGraphAddKernelNode(&node, to->graph, &to->last, to->last ? 1 : 0, &p));
  to->last = node;
  return 0;
}

extern "C" int graph_loops(void)
{
  int driver, runtime;
  device_versions(&driver, &runtime);
  return CAN_LOOP && driver >= 12040;
}

#if CAN_LOOP
/* Another round?  Asked before the first one and at the end of each.  In blocks no larger than those of
 * the body: racecheck (compute-sanitizer 2025.3) crashes where they are.                          */
static __global__ void __launch_bounds__(LEAST)
    another_round(cudaGraphConditionalHandle handle, const i32 *flag, i32 count, i32 times, i32 *round, i32 first)
{
  int some = 0;
  for (i32 i = (i32)threadIdx.x; i < count; i += LEAST) some |= flag[i] != 0;
  some = __syncthreads_or(some);
  if (threadIdx.x) return;
  const i32 done = first ? 0 : *round + 1;
  *round         = done;
  cudaGraphSetConditional(handle, some && done < times);
}

static int append_test(graph *g, level *to, const level *loop, int depth, i32 first)
{
  level l       = *loop;
  i32  *round   = g->round + depth;
  void *argv[6] = {&l.handle, &l.flag, &l.count, &l.times, &round, &first};
  return append_kernel(to, (const void *)another_round, {1, LEAST}, argv);
}

extern "C" int graph_open(struct graph *g, const i32 *flag, i32 count, i32 times)
{
  level              *outer = &g->at[g->depth], inner = {};
  cudaGraphNode_t     node;
  cudaGraphNodeParams p = {};
  where                 = "a recording with a flag";
  if (g->depth == MAX_DEPTH) return DEVICE_DEEP;
  if (!g->round) TRY(cudaMalloc((void **)&g->round, MAX_DEPTH * sizeof *g->round));
  inner.flag = flag, inner.count = count, inner.times = times;
  TRY(cudaGraphConditionalHandleCreate(&inner.handle, outer->graph, 0, 0));
  const int code = append_test(g, outer, &inner, g->depth, 1);
  if (code) return code;
  p.type               = cudaGraphNodeTypeConditional;
  p.conditional.handle = inner.handle;
  p.conditional.type   = cudaGraphCondTypeWhile;
  p.conditional.size   = 1;
#if CUDART_VERSION >= 13000
  TRY(cudaGraphAddNode(&node, outer->graph, &outer->last, nullptr, 1, &p));
#else
  TRY(cudaGraphAddNode(&node, outer->graph, &outer->last, 1, &p));
#endif
  outer->last       = node;
  inner.graph       = p.conditional.phGraph_out[0]; /* belongs to the node */
  g->at[++g->depth] = inner;
  return 0;
}

extern "C" int graph_close(struct graph *g)
{
  where          = "a recording with a flag";
  level    *loop = &g->at[g->depth];
  const int code = append_test(g, loop, loop, g->depth - 1, 0);
  if (!code) g->depth--;
  return code;
}
#else
extern "C" int graph_open(struct graph *, const i32 *, i32, i32)
{
  return (int)cudaErrorNotSupported;
}

extern "C" int graph_close(struct graph *)
{
  return (int)cudaErrorNotSupported;
}
#endif

extern "C" int graph_begin(int device, struct graph **to)
{
  cudaStream_t stream;
  where = "a recording";
  *to   = nullptr;
  TRY(use(device, &stream));
  graph *g = new (std::nothrow) graph();
  if (!g) return DEVICE_MEMORY;
  g->device      = device;
  const int code = status(cudaGraphCreate(&g->whole, 0));
  if (code) {
    delete g;
    return code;
  }
  g->at[0].graph = g->whole;
  *to            = g;
  return 0;
}

extern "C" int graph_kernel(struct graph *g, const struct kernel *kernel, const void *function, void *args)
{
  void              *argv[HEAD + MAX_FIELDS];
  const struct shape shape = arguments(kernel, args, argv);
  where                    = kernel->name;
  return shape.blocks ? append_kernel(&g->at[g->depth], function, shape, argv) : 0;
}

extern "C" int graph_finish(struct graph *g)
{
  where          = "a recording";
  const int code = status(cudaGraphInstantiate(&g->run, g->whole, 0));
  (void)status(cudaGraphDestroy(g->whole));
  g->whole = nullptr;
  return code;
}

extern "C" int graph_launch(struct graph *g)
{
  cudaStream_t stream;
  where = "a recording (or the work launched before it)";
  TRY(use(g->device, &stream));
  return status(cudaGraphLaunch(g->run, stream));
}

extern "C" void graph_drop(struct graph *g)
{
  cudaStream_t stream;
  if (!g) return;
  if (!status(use(g->device, &stream))) {
    (void)status(cudaStreamSynchronize(stream));
    if (g->run) (void)status(cudaGraphExecDestroy(g->run));
    if (g->whole) (void)status(cudaGraphDestroy(g->whole));
    if (g->round) (void)status(cudaFree(g->round));
  }
  delete g;
}
