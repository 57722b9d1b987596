/* sparse_bind.c - sparse.h for Python: functions of _cuda around a capsule.  Arrays are those of
 * bind; who holds the capsule also holds the four arrays that it was made from.                */
#include "core/array.h"
#include "sparse.h"

#include <math.h>

#if __has_include(<cusparse.h>)
static const char capsule_name[] = "kinemesh.sparse";

static PyObject *sparse_error(int code)
{
  return PyErr_Format(PyExc_RuntimeError, "CUDA: %s: %s", device_where(), sparse_text(code));
}

static PyObject *py_open(PyObject *self, PyObject *args)
{
  (void)self;
  const char *path;
  if (!PyArg_ParseTuple(args, "s:sparse_open", &path)) return NULL;
  const int code = sparse_open(path);
  return code ? PyUnicode_FromString(sparse_text(code)) : Py_NewRef(Py_None);
}

/* The memory of an array of `count` entries (any count: -1) on `device` (any: -1). */
static void *memory(PyObject *array, const char *name, char format, Py_ssize_t count, int device, struct operand *op)
{
  if (backend_resolve(array, op) < 0) return NULL;
  const Py_ssize_t entries = op->bytes / (format == 'i' ? 4 : 8);
  if (op->format != format)
    PyErr_Format(PyExc_TypeError, "sparse: %s has type %c, expected %c", name, op->format, format);
  else if (count >= 0 && entries != count)
    PyErr_Format(PyExc_ValueError, "sparse: %s has %zd entries, expected %zd", name, entries, count);
  else if (device >= 0 && op->device != device)
    PyErr_Format(PyExc_ValueError, "sparse: %s is on cuda:%d, expected cuda:%d", name, op->device, device);
  else if (!entries || op->device < 0)
    PyErr_Format(PyExc_ValueError, "sparse: %s has no entries", name);
  void *const ptr = op->ptr;
  backend_release(op); /* the caller holds the arrays */
  return PyErr_Occurred() ? NULL : ptr;
}

/* A capsule's content, and where it is: the context holds the device, the rows are asked for. */
struct holder {
  struct sparse *sparse;
  Py_ssize_t     rows;
  int            device;
};

static void destroy(PyObject *capsule)
{
  struct holder *h = PyCapsule_GetPointer(capsule, capsule_name);
  sparse_drop(h->sparse);
  PyMem_Free(h);
}

static PyObject *py_create(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject      *array[4];
  struct operand op;
  if (!PyArg_ParseTuple(args, "OOOO:sparse_create", &array[0], &array[1], &array[2], &array[3])) return NULL;
  void *row = memory(array[0], "row", 'i', -1, -1, &op);
  if (!row) return NULL;
  const Py_ssize_t rows = op.bytes / 4 - 1;
  const int        at   = op.device;
  void            *A    = memory(array[2], "A", 'd', -1, at, &op);
  if (!A) return NULL;
  const Py_ssize_t entries = op.bytes / 8;
  void            *column  = memory(array[1], "column", 'i', entries, at, &op);
  void            *LU      = column ? memory(array[3], "LU", 'd', entries, at, &op) : NULL;
  if (!LU) return NULL;
  if (rows < 1 || entries > INT32_MAX)
    return PyErr_Format(PyExc_ValueError, "sparse: %zd rows, %zd entries, expected 1 to 2^31 - 1", rows, entries);
  struct holder *h = PyMem_Calloc(1, sizeof *h);
  if (!h) return PyErr_NoMemory();
  h->rows = rows, h->device = at;
  int code;
  Py_BEGIN_ALLOW_THREADS
  code = sparse_create(at, (i32)rows, (i32)entries, row, column, A, LU, &h->sparse);
  Py_END_ALLOW_THREADS
  PyObject *capsule = code ? sparse_error(code) : PyCapsule_New(h, capsule_name, destroy);
  if (!capsule) sparse_drop(h->sparse), PyMem_Free(h);
  return capsule;
}

static PyObject *py_factor(PyObject *self, PyObject *capsule)
{
  (void)self;
  struct holder *h = PyCapsule_GetPointer(capsule, capsule_name);
  if (!h) return NULL;
  i32 zero = -1;
  int code;
  Py_BEGIN_ALLOW_THREADS
  code = sparse_factor(h->sparse, &zero);
  Py_END_ALLOW_THREADS
  return code ? sparse_error(code) : PyLong_FromLong(zero);
}

/* (capsule, from, to) */
static PyObject *apply(PyObject *args, int (*work)(struct sparse *, const f64 *, f64 *))
{
  PyObject      *capsule, *from, *to;
  struct operand op;
  if (!PyArg_ParseTuple(args, "OOO", &capsule, &from, &to)) return NULL;
  struct holder *h = PyCapsule_GetPointer(capsule, capsule_name);
  const f64     *a = h ? memory(from, "the vector in", 'd', h->rows, h->device, &op) : NULL;
  f64           *b = a ? memory(to, "the vector out", 'd', h->rows, h->device, &op) : NULL;
  if (!b) return NULL;
  if (a == b) return PyErr_Format(PyExc_ValueError, "sparse: the vectors in and out are one, expected two");
  const int code = work(h->sparse, a, b);
  return code ? sparse_error(code) : Py_NewRef(Py_None);
}

static PyObject *py_apply(PyObject *self, PyObject *args)
{
  (void)self;
  return apply(args, sparse_apply);
}

static PyObject *py_product(PyObject *self, PyObject *args)
{
  (void)self;
  return apply(args, sparse_product);
}

static PyObject *py_bicgstab(PyObject *self, PyObject *args)
{
  (void)self;
  PyObject      *capsule, *from, *to;
  struct operand op;
  double         tolerance, drop = 0;
  int            most, code;
  i32            steps = 0;
  if (!PyArg_ParseTuple(args, "OOOdi:sparse_bicgstab", &capsule, &from, &to, &tolerance, &most)) return NULL;
  struct holder *h = PyCapsule_GetPointer(capsule, capsule_name);
  const f64     *b = h ? memory(from, "b", 'd', h->rows, h->device, &op) : NULL;
  f64           *x = b ? memory(to, "x", 'd', h->rows, h->device, &op) : NULL;
  if (!x) return NULL;
  Py_BEGIN_ALLOW_THREADS
  code = sparse_bicgstab(h->sparse, b, x, tolerance, most, &steps, &drop);
  Py_END_ALLOW_THREADS
  if (code == SPARSE_BREAK) return Py_BuildValue("id", (int)steps, (double)NAN); /* the caller's to judge */
  return code ? sparse_error(code) : Py_BuildValue("id", (int)steps, drop);
}

PyMethodDef sparse_methods[] = {
    {"sparse_open", py_open, METH_VARARGS, "sparse_open(path) -> None, or why cuSPARSE is not there."},
    {"sparse_create", py_create, METH_VARARGS, "sparse_create(row, column, A, LU) -> capsule; CSR, float64."},
    {"sparse_factor", py_factor, METH_O, "sparse_factor(capsule) -> first row whose pivot is zero, or -1."},
    {"sparse_apply", py_apply, METH_VARARGS, "sparse_apply(capsule, b, y): y = U^-1 L^-1 b."},
    {"sparse_product", py_product, METH_VARARGS, "sparse_product(capsule, x, y): y = A x."},
    {"sparse_bicgstab", py_bicgstab, METH_VARARGS,
     "sparse_bicgstab(capsule, b, x, tolerance, most) -> (iterations, |r| / |b|); nan: it broke down."},
    {0}};

#else /* a toolkit without cuSPARSE */
static PyObject *py_open(PyObject *self, PyObject *args)
{
  (void)self, (void)args;
  return PyUnicode_FromString("kinemesh was built without cusparse.h");
}

PyMethodDef sparse_methods[] = {{"sparse_open", py_open, METH_VARARGS, "sparse_open(path) -> why not."}, {0}};
#endif
