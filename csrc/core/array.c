/* array.c - Array(shape, dtype, device): zeroed memory of a CUDA device, copied from and to host
 * buffers, seen by CuPy, PyTorch and JAX through __cuda_array_interface__ and DLPack.          */
#include "array.h"

#include <string.h>

PyTypeObject *ArrayType;

static const struct dtype {
  char        format;
  const char *name, *code; /* NumPy's name and type string */
  Py_ssize_t  size;
} dtypes[] = {
    {'d', "float64", "<f8", 8}, {'f', "float32", "<f4", 4}, {'i', "int32", "<i4", 4}, {'Q', "uint64", "<u8", 8}, {0}};

static const struct dtype *dtype_of(char format)
{
  const struct dtype *t = dtypes;
  while (t->format && t->format != format) t++;
  return t;
}

static PyObject *shape_tuple(const Py_ssize_t *shape, int axes)
{
  PyObject *tuple = PyTuple_New(axes);
  for (int d = 0; d < axes && tuple; d++) {
    PyObject *extent = PyLong_FromSsize_t(shape[d]);
    if (!extent || PyTuple_SetItem(tuple, d, extent) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

/* Extents and bytes, from an int or a sequence of ints. */
static int read_shape(Array *a, PyObject *shape, Py_ssize_t size)
{
  PyObject *tuple = PyIndex_Check(shape) ? PyTuple_Pack(1, shape) : PySequence_Tuple(shape);
  if (!tuple) return -1;
  const Py_ssize_t axes = PyTuple_Size(tuple);
  a->bytes              = size;
  if (axes > MAX_AXES) PyErr_Format(PyExc_ValueError, "Array: shape has %zd axes, expected at most %d", axes, MAX_AXES);
  for (Py_ssize_t d = 0; d < axes && !PyErr_Occurred(); d++) {
    const Py_ssize_t n = PyNumber_AsSsize_t(PyTuple_GetItem(tuple, d), PyExc_OverflowError);
    if (PyErr_Occurred()) break;
    if (n < 0)
      PyErr_Format(PyExc_ValueError, "Array: shape has %zd along axis %zd, expected at least 0", n, d);
    else if (n && a->bytes > PY_SSIZE_T_MAX / n)
      PyErr_Format(PyExc_OverflowError, "Array: shape has %R, expected fewer than 2^63 bytes", tuple);
    else
      a->shape[a->axes++] = n, a->bytes *= n;
  }
  Py_DECREF(tuple);
  return PyErr_Occurred() ? -1 : 0;
}

static int allocate(Array *a)
{
  void     *memory;
  const int code = device_alloc(a->device, (size_t)a->bytes, &memory);
  if (!code) return a->ptr = memory, 0;
  size_t free_bytes, bytes;
  if (code != DEVICE_MEMORY || device_room(a->device, &free_bytes, &bytes)) return backend_error(code), -1;
  PyErr_Format(PyExc_MemoryError, "Array: asked for %zd bytes on cuda:%d, where %zu of %zu bytes are free", a->bytes,
               a->device, free_bytes, bytes);
  return -1;
}

static PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"shape", "dtype", "device", NULL};
  PyObject    *shape;
  const char  *dtype;
  int          device = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "Os|i:Array", names, &shape, &dtype, &device)) return NULL;
  const struct dtype *t = dtypes;
  while (t->format && strcmp(t->name, dtype)) t++;
  if (!t->format)
    return PyErr_Format(PyExc_TypeError, "Array: dtype has %s, expected float64, float32, int32 or uint64", dtype);
  Array *a = PyObject_New(Array, type);
  if (!a) return NULL;
  memset((char *)a + sizeof(PyObject), 0, sizeof *a - sizeof(PyObject));
  a->format = t->format;
  a->device = device;
  if (read_shape(a, shape, t->size) < 0 || allocate(a) < 0) Py_CLEAR(a);
  return (PyObject *)a;
}

static void array_dealloc(Array *a)
{
  PyTypeObject *t = Py_TYPE((PyObject *)a);
  if (a->ptr) device_free(a->device, a->ptr);
  PyObject_Free(a);
  Py_DECREF(t);
}

static PyObject *array_repr(Array *a)
{
  PyObject *shape = shape_tuple(a->shape, a->axes);
  PyObject *text =
      shape ? PyUnicode_FromFormat("<Array %R %s on cuda:%d>", shape, dtype_of(a->format)->name, a->device) : NULL;
  Py_XDECREF(shape);
  return text;
}

/* The host's side of a copy: C-contiguous, of the array's dtype and shape. */
static int check_buffer(const Array *a, const Py_buffer *v, const char *verb, int written)
{
  char format = !v->format ? 'B' : v->format[0] && v->format[1] ? '*' : v->format[0];
  if ((format == 'L' || format == 'Q') && v->itemsize == 8) format = 'Q';
  int same = v->ndim == a->axes;
  for (int d = 0; d < a->axes && same; d++) same = v->shape[d] == a->shape[d];
  if (written && v->readonly) {
    PyErr_Format(PyExc_ValueError, "Array.%s: the buffer is read-only, expected writable", verb);
  } else if (!PyBuffer_IsContiguous(v, 'C')) {
    PyErr_Format(PyExc_ValueError, "Array.%s: the buffer is not C-contiguous", verb);
  } else if (format != a->format) {
    const struct dtype *t = dtype_of(format);
    PyErr_Format(PyExc_TypeError, "Array.%s: the buffer has dtype %s, expected %s", verb,
                 t->format   ? t->name
                 : v->format ? v->format
                             : "bytes",
                 dtype_of(a->format)->name);
  } else if (!same) {
    PyObject *got = shape_tuple(v->shape, v->ndim), *want = shape_tuple(a->shape, a->axes);
    if (got && want) PyErr_Format(PyExc_ValueError, "Array.%s: the buffer has shape %R, expected %R", verb, got, want);
    Py_XDECREF(got), Py_XDECREF(want);
  }
  return PyErr_Occurred() ? -1 : 0;
}

static PyObject *copy(Array *a, PyObject *buffer, int to_host)
{
  Py_buffer v;
  int       code = 0;
  if (PyObject_GetBuffer(buffer, &v, PyBUF_FULL_RO) < 0) return NULL;
  if (check_buffer(a, &v, to_host ? "copy_to" : "copy_from", to_host) == 0) {
    Py_BEGIN_ALLOW_THREADS
    code = to_host ? device_get(a->device, v.buf, a->ptr, (size_t)a->bytes)
                   : device_put(a->device, a->ptr, v.buf, (size_t)a->bytes);
    Py_END_ALLOW_THREADS
    if (code) backend_error(code);
  }
  PyBuffer_Release(&v);
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

void array_writes(Array *a)
{
  a->written  = 1;
  a->verdicts = 0;
}

static PyObject *array_copy_from(Array *a, PyObject *buffer)
{
  a->verdicts    = 0;
  PyObject *done = copy(a, buffer, 0); /* another thread may have looked at it meanwhile */
  a->verdicts    = 0;
  return done;
}

static PyObject *array_copy_to(Array *a, PyObject *buffer)
{
  return copy(a, buffer, 1);
}

static PyObject *get_shape(Array *a, void *none)
{
  (void)none;
  return shape_tuple(a->shape, a->axes);
}

static PyObject *get_dtype(Array *a, void *none)
{
  (void)none;
  return PyUnicode_FromString(dtype_of(a->format)->name);
}

static PyObject *get_device(Array *a, void *none)
{
  (void)none;
  return PyLong_FromLong(a->device);
}

static PyObject *get_nbytes(Array *a, void *none)
{
  (void)none;
  return PyLong_FromSsize_t(a->bytes);
}

static PyObject *get_ptr(Array *a, void *none)
{
  (void)none;
  array_writes(a);
  return PyLong_FromVoidPtr(a->ptr);
}

/* Version 3; a consumer waits for `stream`, or is one that the legacy default stream orders. */
static PyObject *get_interface(Array *a, void *none)
{
  (void)none;
  array_writes(a);
  void     *stream;
  const int code = device_stream(a->device, &stream);
  if (code) return backend_error(code);
  PyObject *shape = shape_tuple(a->shape, a->axes);
  PyObject *ptr = PyLong_FromVoidPtr(a->bytes ? a->ptr : NULL), *handle = PyLong_FromVoidPtr(stream);
  PyObject *face = NULL;
  if (shape && ptr && handle)
    face = Py_BuildValue("{s:O,s:s,s:(OO),s:O,s:i,s:O}", "shape", shape, "typestr", dtype_of(a->format)->code, "data",
                         ptr, Py_False, "strides", Py_None, "version", 3, "stream", handle);
  Py_XDECREF(shape), Py_XDECREF(ptr), Py_XDECREF(handle);
  return face;
}

static PyMethodDef methods[] = {
    {"copy_from", (PyCFunction)(void (*)(void))array_copy_from, METH_O,
     "copy_from(buffer): overwrite the array with a C-contiguous host buffer of its dtype and shape."},
    {"copy_to", (PyCFunction)(void (*)(void))array_copy_to, METH_O,
     "copy_to(buffer): fill a writable host buffer, after all work launched before."},
    {"__dlpack__", (PyCFunction)(void (*)(void))array_dlpack, METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(stream=None, max_version=None, dl_device=None, copy=None) -> capsule"},
    {"__dlpack_device__", (PyCFunction)(void (*)(void))array_dlpack_device, METH_NOARGS, "(2, device)"},
    {0}};

static PyGetSetDef attributes[] = {{"shape", (getter)get_shape, NULL, "Extents, a tuple.", NULL},
                                   {"dtype", (getter)get_dtype, NULL, "NumPy's name of the type.", NULL},
                                   {"device", (getter)get_device, NULL, "Number of the CUDA device.", NULL},
                                   {"nbytes", (getter)get_nbytes, NULL, "Size in bytes.", NULL},
                                   {"ptr", (getter)get_ptr, NULL, "Address on the device.", NULL},
                                   {"__cuda_array_interface__", (getter)get_interface, NULL, "Version 3.", NULL},
                                   {0}};

static PyType_Slot slots[] = {{Py_tp_new, array_new},
                              {Py_tp_dealloc, array_dealloc},
                              {Py_tp_repr, array_repr},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, attributes},
                              {Py_tp_doc, "Array(shape, dtype, device=0): zeroed memory of a CUDA device."},
                              {0, NULL}};
static PyType_Spec spec    = {"kinemesh.Array", sizeof(Array), 0, Py_TPFLAGS_DEFAULT, slots};

int array_type(PyObject *module)
{
  ArrayType = (PyTypeObject *)PyType_FromSpec(&spec);
  return ArrayType ? PyModule_AddObjectRef(module, "Array", (PyObject *)ArrayType) : -1;
}
