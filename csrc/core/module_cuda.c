/* module_cuda.c - _cuda: the kernels on CUDA devices.  Arrays are Array, or anything that has
 * __cuda_array_interface__.  Nothing asks for a driver before the first call.                  */
#include "array.h"
#include "check.h"
#include "processor.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

PyObject *backend_error(int code)
{
  return PyErr_Format(PyExc_RuntimeError, "CUDA: %s: %s", device_where(), device_text(code));
}

/* An array of another library: the dictionary `face`, entry by entry. */

static int read_typestr(PyObject *face, struct operand *to, Py_ssize_t *size)
{
  static const char *const known[] = {"<f8d", "<f4f", "<i4i", "<u8Q"};
  PyObject                *value   = PyDict_GetItemString(face, "typestr"); /* borrowed */
  const char              *text    = value && PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  for (int i = 0; i < 4 && text; i++)
    if (!strncmp(text, known[i], 3) && !text[3]) to->format = known[i][3];
  *size = to->format == 'd' || to->format == 'Q' ? 8 : 4;
  if (to->format) return 0;
  PyErr_Format(PyExc_TypeError, "typestr %R", value ? value : Py_None);
  return -1;
}

static int read_shape(PyObject *face, struct operand *to, Py_ssize_t size)
{
  PyObject *shape = PyDict_GetItemString(face, "shape");
  if (!shape || !PyTuple_Check(shape) || PyTuple_Size(shape) > MAX_AXES) {
    PyErr_Format(PyExc_TypeError, "shape %R", shape ? shape : Py_None);
    return -1;
  }
  to->axes  = (int)PyTuple_Size(shape);
  to->bytes = size;
  for (int d = 0; d < to->axes; d++) {
    to->shape[d] = PyLong_AsSsize_t(PyTuple_GetItem(shape, d));
    if (PyErr_Occurred()) return -1;
    to->bytes *= to->shape[d];
  }
  return 0;
}

/* Strides of an axis of one entry say nothing, nor do those of an array without entries. */
static int read_strides(PyObject *face, const struct operand *to, Py_ssize_t size)
{
  PyObject *strides = PyDict_GetItemString(face, "strides");
  if (!strides || strides == Py_None || !to->bytes) return 0;
  Py_ssize_t step = size;
  int        same = PyTuple_Check(strides) && PyTuple_Size(strides) == to->axes;
  for (int d = to->axes - 1; d >= 0 && same; d--) {
    const Py_ssize_t got = PyLong_AsSsize_t(PyTuple_GetItem(strides, d));
    if (PyErr_Occurred()) return -1;
    same = got == step || to->shape[d] == 1;
    step *= to->shape[d];
  }
  if (!same) PyErr_SetString(PyExc_TypeError, "memory that is not C-contiguous");
  return same ? 0 : -1;
}

static int read_data(PyObject *face, struct operand *to)
{
  PyObject *data = PyDict_GetItemString(face, "data"), *mask = PyDict_GetItemString(face, "mask");
  if (mask && mask != Py_None) return PyErr_SetString(PyExc_TypeError, "a mask"), -1;
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2) {
    PyErr_Format(PyExc_TypeError, "data %R", data ? data : Py_None);
    return -1;
  }
  to->ptr      = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  to->readonly = PyObject_IsTrue(PyTuple_GetItem(data, 1));
  to->device   = -1;
  if (PyErr_Occurred()) return -1;
  if (!to->bytes) return to->ptr = NULL, 0;
  const int code = device_of(to->ptr, &to->device);
  return code ? (backend_error(code), -1) : 0;
}

/* Wait for the work that filled the array: on its stream, or all of it where none is named by
 * an interface older than version 3; None says that there is nothing to wait for.              */
static int wait_for(PyObject *face, const struct operand *to)
{
  PyObject *stream = PyDict_GetItemString(face, "stream");
  void     *handle = NULL;
  if (to->device < 0 || stream == Py_None) return 0;
  if (stream) {
    handle = PyLong_AsVoidPtr(stream);
    if (PyErr_Occurred()) return -1;
    if (!handle) return PyErr_SetString(PyExc_TypeError, "stream 0, which names none"), -1;
  }
  int code;
  Py_BEGIN_ALLOW_THREADS
  code = device_await(to->device, handle, !stream);
  Py_END_ALLOW_THREADS
  return code ? (backend_error(code), -1) : 0;
}

static int resolve_foreign(PyObject *object, struct operand *to)
{
  Py_ssize_t size = 0;
  PyObject  *face = PyObject_GetAttrString(object, "__cuda_array_interface__");
  if (!face || !PyDict_Check(face)) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%R, which is not memory of a CUDA device", (PyObject *)Py_TYPE(object));
    Py_XDECREF(face);
    return -1;
  }
  const int bad = read_typestr(face, to, &size) < 0 || read_shape(face, to, size) < 0 ||
                  read_strides(face, to, size) < 0 || read_data(face, to) < 0 || wait_for(face, to) < 0;
  Py_DECREF(face);
  if (bad) return -1;
  if ((uintptr_t)to->ptr % 16) { /* kernels move pairs of numbers in one piece */
    PyErr_SetString(PyExc_TypeError, "memory that does not begin at a multiple of 16 bytes");
    return -1;
  }
  to->foreign = 1;
  to->owner   = Py_NewRef(object);
  return 0;
}

int backend_resolve(PyObject *object, struct operand *to)
{
  memset(to, 0, sizeof *to);
  if (Py_TYPE(object) != ArrayType) {
    const int bad = resolve_foreign(object, to);
    if (bad) memset(to, 0, sizeof *to);
    return bad;
  }
  const Array *a = (const Array *)object;
  to->ptr = a->ptr, to->bytes = a->bytes, to->axes = a->axes, to->device = a->device, to->format = a->format;
  memcpy(to->shape, a->shape, sizeof to->shape);
  to->owner = Py_NewRef(object);
  return 0;
}

/* Another library may reuse its memory as soon as the owner is gone, so our work ends first; an
 * Array waits by itself.                                                                       */
void backend_release(struct operand *op)
{
  if (op->foreign && op->device >= 0) (void)device_synchronize(op->device);
  op->foreign = 0;
  Py_CLEAR(op->owner);
}

const void *backend_fetch(const struct operand *op, void **to_free)
{
  void *host = malloc((size_t)op->bytes + 1);
  *to_free   = host;
  if (!host) return PyErr_NoMemory();
  const int code = op->bytes ? device_get(op->device, host, op->ptr, (size_t)op->bytes) : 0;
  if (!code) return host;
  free(host);
  *to_free = NULL;
  return backend_error(code);
}

/* A table comes back from the device to be looked at, so what was found is kept with it. */

int backend_known(const struct operand *op, int what, Py_ssize_t limit)
{
  if (!op->owner || Py_TYPE(op->owner) != ArrayType) return 0;
  const Array *a = (const Array *)op->owner;
  for (int k = 0; k < a->verdicts; k++)
    if (a->verdict[k].what == what && a->verdict[k].limit == limit) return 1;
  return 0;
}

void backend_learn(const struct operand *op, int what, Py_ssize_t limit)
{
  if (!op->owner || Py_TYPE(op->owner) != ArrayType) return;
  Array *a = (Array *)op->owner;
  if (a->written || a->verdicts == VERDICTS) return;
  a->verdict[a->verdicts].what    = what;
  a->verdict[a->verdicts++].limit = limit;
}

void backend_writes(const struct operand *op)
{
  if (op->owner && Py_TYPE(op->owner) == ArrayType) array_writes((Array *)op->owner);
}

/* Launches and recordings. */

const void *backend_function(const struct kernel *k)
{
  return device_function(k);
}

int backend_launch(const Call *call)
{
  return device_launch(call->device, call->kernel, call->device_function, call->args);
}

/* The first device that a call names; -1 where nothing is on any. */
static int find_device(const Recording *r)
{
  int device = -1;
  for (i32 i = 0; i < r->count && device < 0; i++)
    device = Py_TYPE(r->item[i]) == CallType ? ((const Call *)r->item[i])->device
                                             : find_device((const Recording *)r->item[i]);
  return device;
}

/* The memory of a call's arrays; of a part that of the whole. */
static int find_spans(const Call *call, struct span *span)
{
  int count = 0, at = 0;
  while (call->whole) call = (const Call *)call->whole;
  for (const struct field *f = call->kernel->fields(); f->name; f++) {
    if (is_scalar(f)) continue;
    const struct operand *op = &call->operand[at++];
    if (!op->bytes) continue;
    const struct span own = {op->ptr, op->ptr + op->bytes, is_written(f)};
    span[count++]         = own;
  }
  return count;
}

static int add_call(struct graph *g, int device, const Call *call)
{
  if (call->device < 0) return 0; /* all its arrays are empty */
  if (call->device != device) return DEVICE_MIXED;
  struct span span[MAX_FIELDS];
  const int   spans = find_spans(call, span);
  return graph_kernel(g, call->kernel, call->device_function, call->args, span, spans);
}

/* A recording inside another becomes part of its graph: once as a loop where a flag can end it,
 * otherwise as often as it is run.  Without loops the rounds after the flag fell write nothing. */
static int add_items(struct graph *g, int device, const Recording *r)
{
  const int loop = r->flag.ptr && graph_loops();
  int       code = 0;
  if (loop && r->flag.device != device) return DEVICE_MIXED;
  if (loop) code = graph_open(g, (const i32 *)r->flag.ptr, (i32)(r->flag.bytes / 4), r->times);
  for (i32 t = 0; t < (loop ? 1 : r->times) && !code; t++)
    for (i32 i = 0; i < r->count && !code; i++)
      code = Py_TYPE(r->item[i]) == CallType ? add_call(g, device, (const Call *)r->item[i])
                                             : add_items(g, device, (const Recording *)r->item[i]);
  return loop && !code ? graph_close(g) : code;
}

static int build(Recording *r)
{
  struct graph *g = NULL;
  r->device       = find_device(r);
  if (r->device >= 0) {
    int code = graph_begin(r->device, &g);
    if (!code) code = add_items(g, r->device, r);
    if (!code) code = graph_finish(g);
    if (code) return graph_drop(g), code;
  }
  r->graph = g, r->captured = 1;
  return 0;
}

/* Runs without the interpreter's lock; a graph is built once and launched by one thread at a time. */
int backend_run(Recording *r)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  int code = r->captured ? 0 : build(r);
  if (!code && r->graph) code = graph_launch(r->graph);
  pthread_mutex_unlock(&lock);
  return code;
}

void backend_drop(Recording *r)
{
  graph_drop(r->graph);
  r->graph = NULL;
}

/* Functions of the module. */

static PyObject *cuda_device_count(PyObject *self, PyObject *none)
{
  (void)self, (void)none;
  int       count, driver, runtime;
  const int code = device_count(&count);
  if (!code) return PyLong_FromLong(count);
  device_versions(&driver, &runtime);
  if (!driver)
    return PyErr_Format(PyExc_RuntimeError, "CUDA: no NVIDIA driver on this machine (%s)", device_text(code));
  return PyErr_Format(PyExc_RuntimeError, "CUDA: %s (driver for CUDA %d.%d, built with CUDA %d.%d)", device_text(code),
                      driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static PyObject *version_text(int version)
{
  return PyUnicode_FromFormat("%d.%d", version / 1000, version % 1000 / 10);
}

static PyObject *cuda_device_properties(PyObject *self, PyObject *args)
{
  (void)self;
  struct device_info is;
  int                device, driver, runtime;
  if (!PyArg_ParseTuple(args, "i:device_properties", &device)) return NULL;
  const int code = device_describe(device, &is);
  if (code) return backend_error(code);
  device_versions(&driver, &runtime);
  return Py_BuildValue("{s:s,s:s,s:n,s:n,s:N,s:i,s:N,s:N}", "name", is.name, "pci", is.pci, "memory_bytes",
                       (Py_ssize_t)is.bytes, "free_bytes", (Py_ssize_t)is.free_bytes, "compute_capability",
                       PyUnicode_FromFormat("%d.%d", is.major, is.minor), "multiprocessors", is.multiprocessors,
                       "driver", version_text(driver), "runtime", version_text(runtime));
}

static PyObject *cuda_synchronize(PyObject *self, PyObject *args)
{
  (void)self;
  int device = 0, code;
  if (!PyArg_ParseTuple(args, "|i:synchronize", &device)) return NULL;
  Py_BEGIN_ALLOW_THREADS
  code = device_synchronize(device);
  Py_END_ALLOW_THREADS
  if (code) return backend_error(code);
  Py_RETURN_NONE;
}

static PyObject *cuda_copy_bandwidth(PyObject *self, PyObject *args)
{
  (void)self;
  int        device = 0, code;
  Py_ssize_t bytes  = (Py_ssize_t)1 << 30;
  double     rate   = 0;
  if (!PyArg_ParseTuple(args, "|in:copy_bandwidth", &device, &bytes)) return NULL;
  if (bytes < 1) return PyErr_Format(PyExc_ValueError, "copy_bandwidth: bytes has %zd, expected at least 1", bytes);
  Py_BEGIN_ALLOW_THREADS
  code = device_bandwidth(device, (size_t)bytes, &rate);
  Py_END_ALLOW_THREADS
  return code ? backend_error(code) : PyFloat_FromDouble(rate);
}

static PyMethodDef cuda_methods[] = {
    {"device_count", cuda_device_count, METH_NOARGS, "Number of CUDA devices; RuntimeError says why there is none."},
    {"device_properties", cuda_device_properties, METH_VARARGS, "device_properties(device) -> dict"},
    {"synchronize", cuda_synchronize, METH_VARARGS, "synchronize(device=0): wait for everything launched."},
    {"copy_bandwidth", cuda_copy_bandwidth, METH_VARARGS,
     "copy_bandwidth(device=0, bytes=2**30) -> GB/s read and written by copies on the device."},
    {0}};

static int cuda_exec(PyObject *m)
{
  if (processor_check(m, NEEDS) < 0) return -1;
  if (PyModule_AddFunctions(m, bind_methods) < 0 || PyModule_AddFunctions(m, cuda_methods) < 0) return -1;
  if (PyModule_AddFunctions(m, sparse_methods) < 0) return -1;
  return array_type(m) < 0 ? -1 : bind_types(m);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, cuda_exec}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, "_cuda", "Kernels on CUDA devices.", 0, NULL, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__cuda(void)
{
  return PyModuleDef_Init(&def);
}
