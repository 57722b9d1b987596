/* graph.cu - recordings as CUDA graphs: kernels in the order of order.h, and loops that end on the device.
 * The nodes are added by hand, not captured: no stream is left capturing after an error, and a loop's
 * body is built like the rest.                                                                  */
#include "order.h"
#include "stream.h"

#include <new>

#define MAX_DEPTH 8 /* loops inside each other */
#define CAN_LOOP  (CUDART_VERSION >= 12040)

struct level {
  cudaGraph_t     graph;
  cudaGraphNode_t first; /* before all of the stretch: a loop, or a kernel that waits for all before it */
  cudaGraphNode_t node[MOST_NODES];
  struct order    order;
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
  level          *at;    /* MAX_DEPTH + 1 of them, while it is being built */
};

/* All that a node waits for which waits for the whole stretch. */
static size_t whole_stretch(const level *l, cudaGraphNode_t *waits)
{
  size_t count = 0;
  for (int i = 0; i < l->order.nodes; i++)
    if (set_has(&l->order.last, i)) waits[count++] = l->node[i];
  if (!count && l->first) waits[count++] = l->first;
  return count;
}

/* A new stretch behind this node, which has waited for all before it. */
static void begin_stretch(level *l, cudaGraphNode_t first)
{
  l->first = first;
  order_clear(&l->order);
}

static cudaKernelNodeParams kernel_node(const void *function, struct shape shape, void **argv)
{
  cudaKernelNodeParams p = {};
  p.func                 = (void *)function;
  p.gridDim              = dim3(shape.blocks);
  p.blockDim             = dim3(shape.block);
  p.kernelParams         = argv; /* the values are copied when the node is added */
  return p;
}

/* A kernel that waits for all before it, and for which all that follows waits. */
static int append_between(level *to, const cudaKernelNodeParams *p)
{
  cudaGraphNode_t node, waits[MOST_NODES];
  const size_t    count = whole_stretch(to, waits);
  TRY(cudaGraphAddKernelNode(&node, to->graph, waits, count, p));
  begin_stretch(to, node);
  return 0;
}

static int append_ordered(level *to, const cudaKernelNodeParams *p, const struct span *span, int spans)
{
  cudaGraphNode_t waits[MOST_NODES];
  int             number[MOST_NODES];
  if (order_full(&to->order, spans)) return append_between(to, p);
  size_t count = (size_t)order_add(&to->order, span, spans, number);
  for (size_t i = 0; i < count; i++) waits[i] = to->node[number[i]];
  if (!count && to->first) waits[count++] = to->first;
  return status(cudaGraphAddKernelNode(&to->node[to->order.nodes - 1], to->graph, waits, count, p));
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
  i32  *round   = g->round + depth;
  void *argv[6] = {
      (void *)&loop->handle, (void *)&loop->flag, (void *)&loop->count, (void *)&loop->times, &round, &first};
  const cudaKernelNodeParams p = kernel_node((const void *)another_round, {1, LEAST}, argv);
  return append_between(to, &p);
}

extern "C" int graph_open(struct graph *g, const i32 *flag, i32 count, i32 times)
{
  cudaGraphNode_t     node;
  cudaGraphNodeParams p = {};
  where                 = "a recording with a flag";
  if (g->depth == MAX_DEPTH) return DEVICE_DEEP;
  if (!g->round) TRY(cudaMalloc((void **)&g->round, MAX_DEPTH * sizeof *g->round));
  level *outer = &g->at[g->depth], *inner = outer + 1;
  inner->flag = flag, inner->count = count, inner->times = times;
  TRY(cudaGraphConditionalHandleCreate(&inner->handle, outer->graph, 0, 0));
  const int code = append_test(g, outer, inner, g->depth, 1);
  if (code) return code;
  p.type               = cudaGraphNodeTypeConditional;
  p.conditional.handle = inner->handle;
  p.conditional.type   = cudaGraphCondTypeWhile;
  p.conditional.size   = 1;
#if CUDART_VERSION >= 13000
  TRY(cudaGraphAddNode(&node, outer->graph, &outer->first, nullptr, 1, &p));
#else
  TRY(cudaGraphAddNode(&node, outer->graph, &outer->first, 1, &p));
#endif
  begin_stretch(outer, node);
  begin_stretch(inner, nullptr);
  inner->graph = p.conditional.phGraph_out[0]; /* belongs to the node */
  g->depth++;
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
  g->at          = new (std::nothrow) level[MAX_DEPTH + 1]();
  const int code = g->at ? status(cudaGraphCreate(&g->whole, 0)) : DEVICE_MEMORY;
  if (code) {
    delete[] g->at;
    delete g;
    return code;
  }
  g->at[0].graph = g->whole;
  *to            = g;
  return 0;
}

extern "C" int graph_kernel(struct graph *g, const struct kernel *kernel, const void *function, void *args,
                            const struct span *span, int spans)
{
  void              *argv[HEAD + MAX_FIELDS];
  const struct shape shape = arguments(kernel, args, argv);
  where                    = kernel->name;
  if (!shape.blocks) return 0;
  const cudaKernelNodeParams p = kernel_node(function, shape, argv);
  return append_ordered(&g->at[g->depth], &p, span, spans);
}

extern "C" int graph_finish(struct graph *g)
{
  where          = "a recording";
  const int code = status(cudaGraphInstantiate(&g->run, g->whole, 0));
  (void)status(cudaGraphDestroy(g->whole));
  delete[] g->at;
  g->whole = nullptr, g->at = nullptr;
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
  delete[] g->at;
  delete g;
}
