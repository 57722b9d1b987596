/* module.c - _core: the kernels on the host.  Arrays come through the buffer protocol. */
#include "bind.h"

#include <string.h>
#ifdef _OPENMP
#include <omp.h>
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
  to->format = v->format[1] ? '*' : v->format[0];
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

/* Runs without the interpreter's lock: the items are immutable and kept alive by the tuple. */
int backend_run(Recording *r)
{
  for (i32 t = 0; t < r->times && (!r->flag.ptr || any(&r->flag)); t++)
    for (i32 i = 0; i < r->count; i++) {
      PyObject *item = r->item[i];
      if (Py_TYPE(item) == CallType)
        backend_launch((const Call *)item);
      else
        backend_run((Recording *)item);
    }
  return 0;
}

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

static int core_exec(PyObject *m)
{
  if (PyModule_AddFunctions(m, bind_methods) < 0) return -1;
  return bind_types(m);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, core_exec}, {0, NULL}};
static PyModuleDef      def     = {
             PyModuleDef_HEAD_INIT, "_core", "Kernels on the host.", 0, core_methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void)
{
  return PyModuleDef_Init(&def);
}
