/* module.c - _core: the kernels on the host.  Arrays come through the buffer protocol. */
#include "bind.h"
#include "processor.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

int backend_resolve(PyObject *object, struct operand *to)
{
  memset(to, 0, sizeof *to);
  if (PyObject_GetBuffer(object, &to->view, PyBUF_FULL_RO) < 0) return -1;
  to->has_view = 1;
  Py_buffer *v = &to->view;
  if (v->ndim > MAX_AXES || !PyBuffer_IsContiguous(v, 'C')) {
    PyErr_SetString(PyExc_TypeError, v->ndim > MAX_AXES ? "too many axes" : "memory that is not C-contiguous");
    backend_release(to);
    return -1;
  }
  to->ptr = v->buf, to->bytes = v->len, to->axes = v->ndim, to->readonly = v->readonly;
  to->format = !v->format ? 'B' : v->format[1] ? '*' : v->format[0];
  if (to->format == 'L' && v->itemsize == 8) to->format = 'Q';
  for (int d = 0; d < v->ndim; d++) to->shape[d] = v->shape[d];
  return 0;
}

void backend_release(struct operand *op)
{
  if (op->has_view) PyBuffer_Release(&op->view);
  op->has_view = 0;
}

const void *backend_fetch(const struct operand *op, void **to_free)
{
  *to_free = NULL;
  return op->ptr;
}

/* Tables on the host are looked at where they are. */
int backend_known(const struct operand *op, int what, Py_ssize_t limit)
{
  (void)op, (void)what, (void)limit;
  return 0;
}

void backend_learn(const struct operand *op, int what, Py_ssize_t limit)
{
  (void)op, (void)what, (void)limit;
}

void backend_writes(const struct operand *op)
{
  (void)op;
}

const void *backend_function(const struct kernel *k)
{
  (void)k;
  return NULL;
}

int backend_launch(const Call *call)
{
  call->kernel->host(call->args);
  return 0;
}

static int any(const struct operand *flag)
{
  for (Py_ssize_t i = 0; i < flag->bytes / 4; i++)
    if (((const i32 *)flag->ptr)[i]) return 1;
  return 0;
}

/* Runs without the interpreter's lock: the items are immutable and kept alive by the tuple.
 * Returns the number of launches.                                                              */
static long run_items(Recording *r)
{
  long launches = 0;
  for (i32 t = 0; t < r->times && (!r->flag.ptr || any(&r->flag)); t++)
    for (i32 i = 0; i < r->count; i++) {
      PyObject *item = r->item[i];
      if (Py_TYPE(item) == CallType) {
        backend_launch((const Call *)item);
        launches++;
      } else
        launches += run_items((Recording *)item);
    }
  return launches;
}

/* Threads pay until somebody else wants the cores: then every kernel's barrier waits for a time
 * slice (measured: a run of 4 s took 12 min).  Results do not depend on the number of threads, so
 * the faster of one and all of them runs; the other is tried now and then, ever more seldom while
 * it goes on losing, and at once where a run takes twice as long as those before.               */
#ifdef _OPENMP
static int all_threads;

/* libgomp's threads do not survive a fork: a child that asked for them would wait for ever. */
static void after_fork(void)
{
  all_threads = 1;
  omp_set_num_threads(1);
}

static double per_launch(Recording *r, int threads)
{
  const double start = omp_get_wtime();
  omp_set_num_threads(threads);
  const long launches = run_items(r);
  omp_set_num_threads(all_threads);
  return launches ? (omp_get_wtime() - start) / (double)launches : 0;
}

int backend_run(Recording *r)
{
  struct timing *p     = &r->timing;
  const int      trial = p->until == 0 && p->runs > 0;
  if (p->runs == 0) p->all = 1, p->gap = 8;
  const int    all     = trial ? !p->all : p->all;
  const double before  = p->seconds[all];
  const double seconds = per_launch(r, all ? all_threads : 1);
  if (seconds > 0) p->seconds[all] = p->seconds[all] > 0 && !trial ? 0.7 * p->seconds[all] + 0.3 * seconds : seconds;
  p->until = p->runs++ == 0 ? 2 : trial ? p->gap : p->until - 1;
  if (trial && p->seconds[all] > 0 && p->seconds[all] < 0.8 * p->seconds[!all])
    p->all = all, p->gap = 8;
  else if (trial && p->gap < 512)
    p->gap *= 2;
  if (!trial && before > 0 && seconds > 2 * before) p->until = 0, p->gap = 8;
  return 0;
}
#else
int backend_run(Recording *r)
{
  run_items(r);
  return 0;
}
#endif

void backend_drop(Recording *recording)
{
  (void)recording;
}

PyObject *backend_error(int code)
{
  return PyErr_Format(PyExc_RuntimeError, "host kernel failed with code %d", code);
}

static PyObject *core_threads(PyObject *self, PyObject *none)
{
  (void)self, (void)none;
#ifdef _OPENMP
  return PyLong_FromLong(omp_get_max_threads());
#else
  return PyLong_FromLong(1);
#endif
}

static PyMethodDef core_methods[] = {{"threads", core_threads, METH_NOARGS, "Number of threads that a kernel may use."},
                                     {0}};

/* Tables of a MiB and more go back to the system when they are freed.  glibc raises that bound to 32
 * MiB as they come and go, and keeps what lies between (94 thousand nodes: 37 MiB of the most that
 * is resident, 60 of what stays; no time is lost).                                               */
static void keep_nothing(void)
{
#ifdef __GLIBC__
  if (!getenv("MALLOC_MMAP_THRESHOLD_")) mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

static int core_exec(PyObject *m)
{
  if (processor_check(m, NEEDS) < 0) return -1;
  keep_nothing();
#ifdef _OPENMP
  all_threads = omp_get_max_threads();
  if (pthread_atfork(NULL, NULL, after_fork)) return PyErr_NoMemory(), -1;
#endif
  if (PyModule_AddFunctions(m, bind_methods) < 0) return -1;
  for (const struct constant *c = constants; c->name; c++) {
    PyObject *value = PyFloat_FromDouble(c->value);
    if (PyModule_AddObjectRef(m, c->name, value) < 0) return Py_XDECREF(value), -1;
    Py_DECREF(value);
  }
  if (PyModule_AddIntMacro(m, MOST_ENTRIES) < 0) return -1;
  if (PyModule_AddStringConstant(m, "WITHOUT_CUDA", WITHOUT_CUDA) < 0) return -1;
  return bind_types(m);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, core_exec}, {0, NULL}};
static PyModuleDef      def     = {
             PyModuleDef_HEAD_INIT, "_core", "Kernels on the host.", 0, core_methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void)
{
  return PyModuleDef_Init(&def);
}
