/* sparse.cu - ILU(0) in the order given and BiCGSTAB around it by cuSPARSE: how Ma et al. (OpenACC
 * deforming mesh), section 6.1, solve the springs, kept to be measured against.  See sparse.h. */
#include "sparse.h"
#include "core/stream.h"

#include <math.h>
#include <stdio.h>

#if __has_include(<cusparse.h>)
#define DISABLE_CUSPARSE_DEPRECATED /* csrilu02 has no successor */
#include <cusparse.h>
#include <dlfcn.h>
#include <mutex>
#include <new>

/* What is used of the library, without its prefix. */
#if CUSPARSE_VERSION >= 12300 /* CUDA 12.4 */
#define NEWER(F) F(SpSV_updateMatrix) F(SpMV_preprocess)
#else
#define NEWER(F)
#endif
#define CALLS(F)          \
  F(Create)               \
  F(Destroy)              \
  F(SetStream)            \
  F(GetErrorString)       \
  F(CreateMatDescr)       \
  F(DestroyMatDescr)      \
  F(CreateCsrilu02Info)   \
  F(DestroyCsrilu02Info)  \
  F(Dcsrilu02_bufferSize) \
  F(Dcsrilu02_analysis)   \
  F(Dcsrilu02)            \
  F(Xcsrilu02_zeroPivot)  \
  F(CreateCsr)            \
  F(DestroySpMat)         \
  F(SpMatSetAttribute)    \
  F(CreateDnVec)          \
  F(DestroyDnVec)         \
  F(DnVecSetValues)       \
  F(SpSV_createDescr)     \
  F(SpSV_destroyDescr)    \
  F(SpSV_bufferSize)      \
  F(SpSV_analysis)        \
  F(SpSV_solve)           \
  F(SpMV_bufferSize)      \
  F(SpMV)                 \
  NEWER(F)
#define MEMBER(f) decltype(&cusparse##f) f;

static struct {
  CALLS(MEMBER)
} api;
static void *library;
static char  missing[512] = "not opened";

enum { MIDDLE, R, SHADOW, P, PH, V, SH, T, VECTORS };
enum { RHO, ALPHA, OMEGA, BETA, NORM2, BASE2, SCALARS }; /* on the device */

struct sparse {
  int                  device, analysed;
  i32                  rows, entries;
  const i32           *row, *column;
  const f64           *A;
  f64                 *LU, *vector[VECTORS], *scalars, *parts;
  cusparseHandle_t     handle;
  cusparseMatDescr_t   plain;
  csrilu02Info_t       info;
  cusparseSpMatDescr_t matrix, half[2]; /* A; L and U, both within LU */
  cusparseSpSVDescr_t  solve[2];
  cusparseDnVecDescr_t in, out;
  void                *for_factor, *for_product, *for_solve[2];
};

#define ASK(call)                                                                \
  do {                                                                           \
    const cusparseStatus_t status_ = (call);                                     \
    if (status_ != CUSPARSE_STATUS_SUCCESS) return SPARSE_STATUS + (int)status_; \
  } while (0)
#define PASS(call)            \
  do {                        \
    const int code_ = (call); \
    if (code_) return code_;  \
  } while (0)

extern "C" int sparse_open(const char *path)
{
  static std::mutex           lock;
  std::lock_guard<std::mutex> hold(lock);
  if (library) return 0;
  void *found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!found) {
    (void)snprintf(missing, sizeof missing, "%s", dlerror());
    return SPARSE_MISSING;
  }
#define LOOK_UP(f)                                                                   \
  api.f = (decltype(&cusparse##f))dlsym(found, "cusparse" #f);                       \
  if (!api.f) {                                                                      \
    (void)snprintf(missing, sizeof missing, "%s: no function cusparse%s", path, #f); \
    (void)dlclose(found);                                                            \
    return SPARSE_MISSING;                                                           \
  }
  CALLS(LOOK_UP)
  library = found;
  return 0;
}

extern "C" const char *sparse_text(int code)
{
  if (code == SPARSE_MISSING) return missing;
  if (code == SPARSE_BREAK) return "BiCGSTAB broke down";
  return code >= SPARSE_STATUS ? api.GetErrorString((cusparseStatus_t)(code - SPARSE_STATUS)) : device_text(code);
}

static const f64 one = 1, zero = 0;

static int make_half(struct sparse *s, int upper)
{
  cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t unit = upper ? CUSPARSE_DIAG_TYPE_NON_UNIT : CUSPARSE_DIAG_TYPE_UNIT;
  size_t             bytes;
  ASK(api.CreateCsr(&s->half[upper], s->rows, s->rows, s->entries, (void *)s->row, (void *)s->column, s->LU,
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  ASK(api.SpMatSetAttribute(s->half[upper], CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
  ASK(api.SpMatSetAttribute(s->half[upper], CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit));
  ASK(api.SpSV_createDescr(&s->solve[upper]));
  ASK(api.SpSV_bufferSize(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->half[upper], s->in, s->out, CUDA_R_64F,
                          CUSPARSE_SPSV_ALG_DEFAULT, s->solve[upper], &bytes));
  TRY(cudaMalloc(&s->for_solve[upper], bytes ? bytes : 1));
  return 0;
}

static int make_product(struct sparse *s)
{
  size_t bytes;
  ASK(api.CreateCsr(&s->matrix, s->rows, s->rows, s->entries, (void *)s->row, (void *)s->column, (void *)s->A,
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  ASK(api.SpMV_bufferSize(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->matrix, s->in, &zero, s->out,
                          CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, &bytes));
  TRY(cudaMalloc(&s->for_product, bytes ? bytes : 1));
#if CUSPARSE_VERSION >= 12300
  ASK(api.SpMV_preprocess(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->matrix, s->in, &zero, s->out,
                          CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, s->for_product));
#endif
  return 0;
}

static int make_factor(struct sparse *s)
{
  int bytes = 0;
  ASK(api.CreateMatDescr(&s->plain)); /* general, indices from 0 */
  ASK(api.CreateCsrilu02Info(&s->info));
  ASK(api.Dcsrilu02_bufferSize(s->handle, s->rows, s->entries, s->plain, s->LU, s->row, s->column, s->info, &bytes));
  TRY(cudaMalloc(&s->for_factor, bytes > 0 ? (size_t)bytes : 1));
  ASK(api.Dcsrilu02_analysis(s->handle, s->rows, s->entries, s->plain, s->LU, s->row, s->column, s->info,
                             CUSPARSE_SOLVE_POLICY_USE_LEVEL, s->for_factor));
  return 0;
}

#define THREADS 256
#define GROUPS  1024 /* of the sums: their order depends on nothing but the number of rows */

static int make(struct sparse *s)
{
  cudaStream_t stream;
  TRY(use(s->device, &stream));
  for (int k = 0; k < VECTORS; k++) TRY(cudaMalloc((void **)&s->vector[k], sizeof(f64) * (size_t)s->rows));
  TRY(cudaMalloc((void **)&s->scalars, sizeof(f64) * SCALARS));
  TRY(cudaMalloc((void **)&s->parts, sizeof(f64) * 2 * GROUPS));
  TRY(cudaMemcpyAsync(s->LU, s->A, sizeof(f64) * (size_t)s->entries, cudaMemcpyDeviceToDevice, stream));
  ASK(api.Create(&s->handle));
  ASK(api.SetStream(s->handle, stream));
  ASK(api.CreateDnVec(&s->in, s->rows, s->vector[R], CUDA_R_64F));
  ASK(api.CreateDnVec(&s->out, s->rows, s->vector[MIDDLE], CUDA_R_64F));
  PASS(make_product(s));
  PASS(make_factor(s));
  PASS(make_half(s, 0));
  PASS(make_half(s, 1));
  return status(cudaStreamSynchronize(stream));
}

extern "C" int sparse_create(int device, i32 rows, i32 entries, const i32 *row, const i32 *column, const f64 *A,
                             f64 *LU, struct sparse **to)
{
  where = "cuSPARSE, setting up";
  if (!library) return SPARSE_MISSING;
  struct sparse *s = new (std::nothrow) sparse();
  if (!s) return DEVICE_MEMORY;
  s->device = device, s->rows = rows, s->entries = entries;
  s->row = row, s->column = column, s->A = A, s->LU = LU;
  const int code = make(s);
  if (code) sparse_drop(s);
  *to = code ? nullptr : s;
  return code;
}

extern "C" void sparse_drop(struct sparse *s)
{
  cudaStream_t stream;
  if (!s) return;
  if (!status(use(s->device, &stream))) {
    (void)status(cudaStreamSynchronize(stream));
    for (int u = 0; u < 2; u++) {
      if (s->solve[u]) (void)api.SpSV_destroyDescr(s->solve[u]);
      if (s->half[u]) (void)api.DestroySpMat(s->half[u]);
      (void)status(cudaFree(s->for_solve[u]));
    }
    if (s->matrix) (void)api.DestroySpMat(s->matrix);
    if (s->info) (void)api.DestroyCsrilu02Info(s->info);
    if (s->plain) (void)api.DestroyMatDescr(s->plain);
    if (s->in) (void)api.DestroyDnVec(s->in);
    if (s->out) (void)api.DestroyDnVec(s->out);
    if (s->handle) (void)api.Destroy(s->handle);
    for (int k = 0; k < VECTORS; k++) (void)status(cudaFree(s->vector[k]));
    for (void *p : {s->for_factor, s->for_product, (void *)s->scalars, (void *)s->parts}) (void)status(cudaFree(p));
  }
  delete s;
}

/* The pattern is analysed once; the solves take up new factors. */
static int renew(struct sparse *s, int upper)
{
#if CUSPARSE_VERSION >= 12300
  if (s->analysed) {
    ASK(api.SpSV_updateMatrix(s->handle, s->solve[upper], s->LU, CUSPARSE_SPSV_UPDATE_GENERAL));
    return 0;
  }
#endif
  ASK(api.SpSV_analysis(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->half[upper], s->in, s->out, CUDA_R_64F,
                        CUSPARSE_SPSV_ALG_DEFAULT, s->solve[upper], s->for_solve[upper]));
  return 0;
}

extern "C" int sparse_factor(struct sparse *s, i32 *zero_at)
{
  cudaStream_t stream;
  int          at = -1;
  where           = "cuSPARSE, ILU(0)";
  TRY(use(s->device, &stream));
  TRY(cudaMemcpyAsync(s->LU, s->A, sizeof(f64) * (size_t)s->entries, cudaMemcpyDeviceToDevice, stream));
  ASK(api.Dcsrilu02(s->handle, s->rows, s->entries, s->plain, s->LU, s->row, s->column, s->info,
                    CUSPARSE_SOLVE_POLICY_USE_LEVEL, s->for_factor));
  const cusparseStatus_t found = api.Xcsrilu02_zeroPivot(s->handle, s->info, &at); /* waits */
  *zero_at                     = found == CUSPARSE_STATUS_ZERO_PIVOT ? at : -1;
  if (found == CUSPARSE_STATUS_ZERO_PIVOT) return 0;
  ASK(found);
  PASS(renew(s, 0));
  PASS(renew(s, 1));
  s->analysed = 1;
  return 0;
}

static int solve_half(struct sparse *s, int upper, const f64 *b, f64 *y)
{
  ASK(api.DnVecSetValues(s->in, (void *)b));
  ASK(api.DnVecSetValues(s->out, y));
  ASK(api.SpSV_solve(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->half[upper], s->in, s->out, CUDA_R_64F,
                     CUSPARSE_SPSV_ALG_DEFAULT, s->solve[upper]));
  return 0;
}

extern "C" int sparse_apply(struct sparse *s, const f64 *b, f64 *y)
{
  cudaStream_t stream;
  where = "cuSPARSE, triangular solves";
  TRY(use(s->device, &stream));
  PASS(solve_half(s, 0, b, s->vector[MIDDLE]));
  return solve_half(s, 1, s->vector[MIDDLE], y);
}

extern "C" int sparse_product(struct sparse *s, const f64 *x, f64 *y)
{
  cudaStream_t stream;
  where = "cuSPARSE, product";
  TRY(use(s->device, &stream));
  ASK(api.DnVecSetValues(s->in, (void *)x));
  ASK(api.DnVecSetValues(s->out, y));
  ASK(api.SpMV(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->matrix, s->in, &zero, s->out, CUDA_R_64F,
               CUSPARSE_SPMV_CSR_ALG1, s->for_product));
  return 0;
}

/* BiCGSTAB, preconditioned from the right, its scalars on the device (van der Vorst 1992). */

/* Sums over THREADS threads of a block; thread 0 holds them. */
static __device__ void block_sum(f64 &a, f64 &b)
{
  __shared__ f64 sum[2][THREADS];
  sum[0][threadIdx.x] = a, sum[1][threadIdx.x] = b;
  for (int k = THREADS / 2; k > 0; k /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < k)
      for (int q = 0; q < 2; q++) sum[q][threadIdx.x] += sum[q][threadIdx.x + k];
  }
  a = sum[0][0], b = sum[1][0];
}

static __global__ void __launch_bounds__(THREADS)
    dots_parts(i32 n, const f64 *a, const f64 *b, const f64 *c, const f64 *d, f64 *parts)
{
  f64 ab = 0, cd = 0;
  for (i32 i = (i32)(blockIdx.x * THREADS + threadIdx.x); i < n; i += GROUPS * THREADS)
    ab += a[i] * b[i], cd += c[i] * d[i];
  block_sum(ab, cd);
  if (!threadIdx.x) parts[2 * blockIdx.x] = ab, parts[2 * blockIdx.x + 1] = cd;
}

/* Finish a pair of dots and say what it is for: rho and |b|^2 first; alpha; omega; beta and |r|^2. */
static __global__ void __launch_bounds__(THREADS) dots_whole(const f64 *parts, i32 what, f64 *c)
{
  f64 ab = 0, cd = 0;
  for (i32 g = (i32)threadIdx.x; g < GROUPS; g += THREADS) ab += parts[2 * g], cd += parts[2 * g + 1];
  block_sum(ab, cd);
  if (threadIdx.x) return;
  if (what == RHO) c[RHO] = ab, c[BASE2] = c[NORM2] = cd;
  if (what == ALPHA) c[ALPHA] = c[RHO] / ab;
  if (what == OMEGA) c[OMEGA] = cd > 0 ? ab / cd : 0;
  if (what == BETA) c[BETA] = ab / c[RHO] * (c[ALPHA] / c[OMEGA]), c[RHO] = ab, c[NORM2] = cd;
}

static __global__ void __launch_bounds__(THREADS) start(i32 n, const f64 *b, f64 *x, f64 *r, f64 *shadow, f64 *p)
{
  const i32 i = (i32)(blockIdx.x * THREADS + threadIdx.x);
  if (i < n) x[i] = 0, r[i] = shadow[i] = p[i] = b[i];
}

static __global__ void __launch_bounds__(THREADS) half_step(i32 n, const f64 *c, const f64 *v, f64 *r)
{
  const i32 i = (i32)(blockIdx.x * THREADS + threadIdx.x);
  if (i < n) r[i] -= c[ALPHA] * v[i];
}

static __global__ void __launch_bounds__(THREADS)
    whole_step(i32 n, const f64 *c, const f64 *ph, const f64 *sh, const f64 *t, f64 *x, f64 *r)
{
  const i32 i = (i32)(blockIdx.x * THREADS + threadIdx.x);
  if (i < n) x[i] += c[ALPHA] * ph[i] + c[OMEGA] * sh[i], r[i] -= c[OMEGA] * t[i];
}

static __global__ void __launch_bounds__(THREADS) next_p(i32 n, const f64 *c, const f64 *r, const f64 *v, f64 *p)
{
  const i32 i = (i32)(blockIdx.x * THREADS + threadIdx.x);
  if (i < n) p[i] = r[i] + c[BETA] * (p[i] - c[OMEGA] * v[i]);
}

static int dots(struct sparse *s, cudaStream_t stream, int a, int b, int c, int d, i32 what)
{
  f64 **v = s->vector;
  dots_parts<<<GROUPS, THREADS, 0, stream>>>(s->rows, v[a], v[b], v[c], v[d], s->parts);
  dots_whole<<<1, THREADS, 0, stream>>>(s->parts, what, s->scalars);
  return status(cudaGetLastError());
}

static int iterate(struct sparse *s, cudaStream_t stream, f64 *x)
{
  const unsigned blocks = (unsigned)((s->rows + THREADS - 1) / THREADS);
  f64          **v = s->vector, *c = s->scalars;
  PASS(sparse_apply(s, v[P], v[PH]));
  PASS(sparse_product(s, v[PH], v[V]));
  PASS(dots(s, stream, SHADOW, V, V, V, ALPHA));
  half_step<<<blocks, THREADS, 0, stream>>>(s->rows, c, v[V], v[R]);
  PASS(sparse_apply(s, v[R], v[SH]));
  PASS(sparse_product(s, v[SH], v[T]));
  PASS(dots(s, stream, T, R, T, T, OMEGA));
  whole_step<<<blocks, THREADS, 0, stream>>>(s->rows, c, v[PH], v[SH], v[T], x, v[R]);
  PASS(dots(s, stream, SHADOW, R, R, R, BETA));
  next_p<<<blocks, THREADS, 0, stream>>>(s->rows, c, v[R], v[V], v[P]);
  return status(cudaGetLastError());
}

static int look(struct sparse *s, cudaStream_t stream, f64 *drop)
{
  f64 c[SCALARS];
  TRY(cudaMemcpyAsync(c, s->scalars, sizeof c, cudaMemcpyDeviceToHost, stream));
  TRY(cudaStreamSynchronize(stream));
  *drop = c[NORM2] > 0 ? sqrt(c[NORM2] / c[BASE2]) : c[NORM2];
  return isfinite(*drop) ? 0 : SPARSE_BREAK;
}

extern "C" int sparse_bicgstab(struct sparse *s, const f64 *b, f64 *x, f64 tolerance, i32 most, i32 *steps, f64 *drop)
{
  cudaStream_t   stream;
  const unsigned blocks = (unsigned)((s->rows + THREADS - 1) / THREADS);
  f64          **v      = s->vector;
  where                 = "cuSPARSE, BiCGSTAB";
  *steps                = 0;
  TRY(use(s->device, &stream));
  start<<<blocks, THREADS, 0, stream>>>(s->rows, b, x, v[R], v[SHADOW], v[P]);
  PASS(dots(s, stream, SHADOW, R, R, R, RHO));
  PASS(look(s, stream, drop));
  while (*steps<most && * drop> tolerance) {
    PASS(iterate(s, stream, x));
    ++*steps;
    if (tolerance > 0 || *steps == most) PASS(look(s, stream, drop));
  }
  return 0;
}
#endif
