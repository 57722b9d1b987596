/* dlpack.c - Array.__dlpack__: the memory of an Array for other libraries, without a copy.  The
 * structs are those of DLPack 1.0 and, for consumers that name no version, of those before it. */
#include "array.h"

#include <string.h>

#define CUDA_DEVICE 2
enum { CODE_INT, CODE_UINT, CODE_FLOAT };

struct tensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t axes;
  struct {
    uint8_t  code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};

struct managed {
  struct tensor tensor;
  void         *context;
  void (*deleter)(struct managed *);
};

struct versioned {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(struct versioned *);
  uint64_t      flags;
  struct tensor tensor;
};

/* What a capsule points into; `owner` keeps the memory alive until the consumer lets go. */
struct export
{
  union {
    struct managed old;
    struct versioned new;
  } as;
  int64_t   shape[MAX_AXES], strides[MAX_AXES];
  PyObject *owner;
};

/* A consumer may call this from any thread, also once Python is gone: the process ends then. */
static void release(struct export *e)
{
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(e->owner);
  PyMem_Free(e);
  PyGILState_Release(state);
}

static void release_old(struct managed *m)
{
  release(m->context);
}

static void release_new(struct versioned *m)
{
  release(m->context);
}

/* A consumer renames the capsule that it has taken over. */
static void drop_capsule(PyObject *capsule)
{
  const char *name = PyCapsule_GetName(capsule);
  if (!name || !strncmp(name, "used_", 5)) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  void *m = PyCapsule_GetPointer(capsule, name);
  if (m && !strcmp(name, "dltensor")) release_old(m);
  if (m && !strcmp(name, "dltensor_versioned")) release_new(m);
  PyErr_Restore(type, value, trace);
}

static void fill_tensor(struct tensor *t, struct export *e, const Array *a)
{
  const int size = a->format == 'd' || a->format == 'Q' ? 8 : 4;
  int64_t   step = 1;
  for (int d = a->axes - 1; d >= 0; d--) {
    e->shape[d]   = a->shape[d];
    e->strides[d] = step;
    step *= a->shape[d];
  }
  t->data        = a->ptr;
  t->device.type = CUDA_DEVICE, t->device.id = a->device;
  t->axes       = a->axes;
  t->dtype.code = a->format == 'i' ? CODE_INT : a->format == 'Q' ? CODE_UINT : CODE_FLOAT;
  t->dtype.bits = (uint8_t)(8 * size), t->dtype.lanes = 1;
  t->shape = e->shape, t->strides = e->strides;
}

static PyObject *make_capsule(Array *a, int with_version)
{
  struct export *e = PyMem_Calloc(1, sizeof *e);
  if (!e) return PyErr_NoMemory();
  e->owner = Py_NewRef((PyObject *)a);
  if (with_version) {
    e->as.new.version.major = 1;
    e->as.new.context = e, e->as.new.deleter = release_new;
    fill_tensor(&e->as.new.tensor, e, a);
  } else {
    e->as.old.context = e, e->as.old.deleter = release_old;
    fill_tensor(&e->as.old.tensor, e, a);
  }
  PyObject *capsule = PyCapsule_New(&e->as, with_version ? "dltensor_versioned" : "dltensor", drop_capsule);
  if (!capsule) release(e);
  return capsule;
}

/* None and 1: the legacy default stream; 2: the thread's; -1: the consumer needs no order. */
static int order_stream(const Array *a, PyObject *stream)
{
  void *handle = (void *)1;
  if (stream != Py_None) {
    if (!PyLong_Check(stream))
      return PyErr_Format(PyExc_TypeError, "Array.__dlpack__: stream has %R, expected an int", stream), -1;
    const long long number = PyLong_AsLongLong(stream);
    if (PyErr_Occurred()) return -1;
    if (number == -1) return 0;
    if (number <= 0)
      return PyErr_Format(PyExc_ValueError, "Array.__dlpack__: stream has %lld, expected -1, 1, 2 or a handle", number),
             -1;
    handle = PyLong_AsVoidPtr(stream);
  }
  const int code = device_precede(a->device, handle);
  return code ? (backend_error(code), -1) : 0;
}

PyObject *array_dlpack(Array *a, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
  PyObject    *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  int          type = CUDA_DEVICE, id = a->device, major = 0, minor = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOOO:__dlpack__", names, &stream, &version, &device, &copy))
    return NULL;
  array_writes(a);
  if (version != Py_None && (!PyTuple_Check(version) || !PyArg_ParseTuple(version, "ii", &major, &minor))) {
    PyErr_Clear();
    return PyErr_Format(PyExc_TypeError, "Array.__dlpack__: max_version has %R, expected (major, minor)", version);
  }
  if (device != Py_None && (!PyTuple_Check(device) || !PyArg_ParseTuple(device, "ii", &type, &id))) {
    PyErr_Clear();
    return PyErr_Format(PyExc_TypeError, "Array.__dlpack__: dl_device has %R, expected (2, %d)", device, a->device);
  }
  const int copies = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  if (copies < 0) return NULL;
  if (type != CUDA_DEVICE || id != a->device)
    return PyErr_Format(PyExc_BufferError, "Array.__dlpack__: dl_device has %R, expected (2, %d); use copy_to", device,
                        a->device);
  if (copies) return PyErr_Format(PyExc_BufferError, "Array.__dlpack__: copy has True, expected False or None");
  return order_stream(a, stream) < 0 ? NULL : make_capsule(a, major >= 1);
}

PyObject *array_dlpack_device(Array *a, PyObject *none)
{
  (void)none;
  return Py_BuildValue("(ii)", CUDA_DEVICE, a->device);
}
