/* bind.c - the Python face of every kernel: one bind, driven by the field table.
 *   call = bind("flux_roe_f64", lr=..., S=..., over=(0, 100))    checks once
 *   call()                                                       launches, no checks
 *   call.part(0, 50)                                             a call over fewer items, no checks of its arrays
 * Every refusal reads "kernel: field has X, expected Y".                                      */
#include "bind.h"
#include "check.h"
#include "shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

PyTypeObject *CallType;

static char format_of(const struct kernel *k, const struct field *f)
{
  if (!strcmp(f->type, "real")) return k->real_size == 8 ? 'd' : 'f';
  return !strcmp(f->type, "f64") ? 'd' : !strcmp(f->type, "f32") ? 'f' : f->type[0] == 'u' ? 'Q' : 'i';
}

/* NumPy's name of a struct format: the four that kernels take, and the likely mistakes. */
static const char *dtype_name(char format)
{
  static const char        letters[] = "dfiQlqIBbHh?e";
  static const char *const names[]   = {"float64", "float32", "int32",  "uint64", "int64", "int64",  "uint32",
                                        "uint8",   "int8",    "uint16", "int16",  "bool",  "float16"};
  const char              *at        = format ? strchr(letters, format) : NULL;
  return at ? names[at - letters] : "another format or byte order";
}

static int wrong_dtype(const struct kernel *k, const struct field *f, char got)
{
  PyErr_Format(PyExc_TypeError, "%s: %s has dtype %s, expected %s", k->name, f->name, dtype_name(got),
               dtype_name(format_of(k, f)));
  return -1;
}

/* Meet the extents of one array: a number must equal it, a name is fixed by its first use. */
static int meet_shape(sets *known, const struct field *f, const struct operand *op)
{
  shape s;
  parse_shape(f->shape, &s);
  if (op->axes != s.axes) {
    PyErr_Format(PyExc_ValueError, "%s: %s has %d axes, expected (%s)", known->kernel, f->name, op->axes, f->shape);
    return -1;
  }
  for (int d = 0; d < s.axes; d++) {
    const axis *a    = &s.axis[d];
    Py_ssize_t  want = a->plus;
    if (*a->name) {
      extent *e = find_set(known, a->name);
      if (!e) {
        e = &known->extent[known->count++];
        snprintf(e->name, WORD, "%s", a->name);
        e->value = op->shape[d] - a->plus;
      }
      want += e->value;
    }
    if (want != op->shape[d] || want < a->plus) {
      PyErr_Format(PyExc_ValueError, "%s: %s has %zd along axis %d, expected %s%s = %zd", known->kernel, f->name,
                   op->shape[d], d, *a->name ? a->name : "the number", *a->name && a->plus ? "+1" : "", want);
      return -1;
    }
  }
  return 0;
}

static int bind_array(Call *c, sets *known, const struct field *f, PyObject *object)
{
  struct operand *op = &c->operand[c->operands];
  if (object == Py_None) {
    if (is_optional(f)) return c->operands++, 0;
    PyErr_Format(PyExc_TypeError, "%s: %s has None, expected an array (%s)", c->kernel->name, f->name, f->shape);
    return -1;
  }
  if (backend_resolve(object, op) < 0) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_Format(PyExc_TypeError, "%s: %s has %S, expected %s array (%s)", c->kernel->name, f->name,
                 value ? value : Py_None, dtype_name(format_of(c->kernel, f)), f->shape);
    Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
    return -1;
  }
  c->operands++;
  if (op->device != c->device && c->device >= 0 && op->device >= 0) {
    PyErr_Format(PyExc_ValueError, "%s: %s has device %d, expected %d as the fields before it", c->kernel->name,
                 f->name, op->device, c->device);
    return -1;
  }
  if (op->device >= 0) c->device = op->device;
  if (op->readonly && is_written(f)) {
    PyErr_Format(PyExc_ValueError, "%s: %s has read-only memory, expected writable (mode %s)", c->kernel->name, f->name,
                 f->mode);
    return -1;
  }
  if (op->format != format_of(c->kernel, f)) return wrong_dtype(c->kernel, f, op->format);
  if (meet_shape(known, f, op) < 0) return -1;
  const Py_ssize_t entries = op->bytes / (op->format == 'i' || op->format == 'f' ? 4 : 8);
  const int        blocks  = !strncmp(f->shape, "blocks,", 7); /* of a matrix: BLOCK_AT counts their numbers */
  if ((blocks ? op->shape[0] : entries) > MOST_ENTRIES) {
    PyErr_Format(PyExc_OverflowError, "%s: %s has %zd entries, expected at most %d", c->kernel->name, f->name, entries,
                 MOST_ENTRIES);
    return -1;
  }
  memcpy((char *)c->args + f->offset, &op->ptr, sizeof op->ptr);
  return 0;
}

static int bind_scalar(Call *c, const struct field *f, PyObject *object)
{
  char      *slot   = (char *)c->args + f->offset;
  const char format = format_of(c->kernel, f);
  if (format == 'i') {
    if (!PyLong_Check(object)) {
      PyErr_Format(PyExc_TypeError, "%s: %s has %R, expected an int", c->kernel->name, f->name, object);
      return -1;
    }
    int             beyond = 0;
    const long long x      = PyLong_AsLongLongAndOverflow(object, &beyond);
    if (beyond || x < INT32_MIN || x > INT32_MAX) {
      PyErr_Format(PyExc_OverflowError, "%s: %s has %S, expected a 32-bit int", c->kernel->name, f->name, object);
      return -1;
    }
    const i32 y = (i32)x;
    memcpy(slot, &y, sizeof y);
    return 0;
  }
  const double x = PyFloat_AsDouble(object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: %s has %R, expected a number", c->kernel->name, f->name, object);
    return -1;
  }
  const float y = (float)x;
  if (format == 'f' && isinf(y) && !isinf(x)) {
    PyErr_Format(PyExc_OverflowError, "%s: %s has %R, expected a number within float32", c->kernel->name, f->name,
                 object);
    return -1;
  }
  memcpy(slot, format == 'd' ? (const void *)&x : (const void *)&y, format == 'd' ? 8 : 4);
  return 0;
}

/* Loop over (first, count), a part of all items, and of those of a call that was bound over a part. */
static int narrow(Call *c, PyObject *over)
{
  struct range   *r     = c->args;
  const long long begin = r->first, end = begin + r->count;
  int             first, count;
  if (!PyTuple_Check(over) || !PyArg_ParseTuple(over, "ii", &first, &count)) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: over has %R, expected (first, count)", c->kernel->name, over);
    return -1;
  }
  if (first < begin || count < 0 || (long long)first + count > end) {
    const char *name = c->kernel->name, *set = c->kernel->over;
    if (r->count == r->n)
      PyErr_Format(PyExc_IndexError, "%s: over has (%d, %d), expected a part of %s = %d", name, first, count, set,
                   r->n);
    else
      PyErr_Format(PyExc_IndexError, "%s: over has (%d, %d), expected a part of the %s (%d, %d) that this call is over",
                   name, first, count, set, r->first, r->count);
    return -1;
  }
  r->first = first, r->count = count;
  return 0;
}

static int fill_range(Call *c, sets *known, PyObject *over)
{
  struct range *r   = c->args;
  const extent *set = find_set(known, c->kernel->over);
  if (!set) {
    PyErr_Format(PyExc_ValueError, "%s: loops over %s, expected a set that some array fixes", c->kernel->name,
                 c->kernel->over);
    return -1;
  }
  r->first = 0, r->count = r->n = (i32)set->value;
  for (const struct field *f = c->kernel->fields(); f->name; f++) {
    if (strcmp(f->mode, "size")) continue;
    const extent *e = find_set(known, f->shape);
    const i32     n = e ? (i32)e->value : -1;
    if (!e) {
      PyErr_Format(PyExc_ValueError, "%s: %s has set %s, expected one that some array fixes", c->kernel->name, f->name,
                   f->shape);
      return -1;
    }
    memcpy((char *)c->args + f->offset, &n, sizeof n);
  }
  return !over || over == Py_None ? 0 : narrow(c, over);
}

/* An argument that no field asks for. */
static int refuse_unknown(const struct kernel *k, PyObject *fields)
{
  PyObject  *name, *value;
  Py_ssize_t at = 0;
  while (fields && PyDict_Next(fields, &at, &name, &value)) {
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text) return -1;
    int known = !strcmp(text, "over");
    for (const struct field *f = k->fields(); f->name && !known; f++)
      known = strcmp(f->mode, "size") && !strcmp(f->name, text);
    if (known) continue;
    PyErr_Format(PyExc_TypeError, "%s: has no field %s", k->name, text);
    return -1;
  }
  return 0;
}

static const struct kernel *find_kernel(const char *name)
{
  const char *dot = strrchr(name, '_');
  if (!dot || (strcmp(dot, "_f32") && strcmp(dot, "_f64"))) return NULL;
  const struct kernel *k = strcmp(dot, "_f32") ? kernels_f64 : kernels_f32;
  for (; k->name; k++)
    if (strlen(k->name) == (size_t)(dot - name) && !strncmp(k->name, name, (size_t)(dot - name))) return k;
  return NULL;
}

static int bind_fields(Call *c, PyObject *fields)
{
  sets known = {c->kernel->name, {{{0}, 0}}, 0};
  for (const struct field *f = c->kernel->fields(); f->name; f++) {
    if (!strcmp(f->mode, "size")) continue;
    PyObject *object = fields ? PyDict_GetItemString(fields, f->name) : NULL; /* borrowed */
    if (!object) {
      PyErr_Format(PyExc_TypeError, "%s: %s is missing, expected (%s)", c->kernel->name, f->name, f->shape);
      return -1;
    }
    if ((is_scalar(f) ? bind_scalar(c, f, object) : bind_array(c, &known, f, object)) < 0) return -1;
  }
  if (refuse_unknown(c->kernel, fields) < 0) return -1;
  if (fill_range(c, &known, fields ? PyDict_GetItemString(fields, "over") : NULL) < 0) return -1;
  return check_tables(c, &known) < 0 ? -1 : check_overlap(c);
}

static Call *new_call(const struct kernel *k)
{
  Call *c = PyObject_New(Call, CallType);
  if (!c) return NULL;
  memset((char *)c + sizeof(PyObject), 0, sizeof *c - sizeof(PyObject));
  c->kernel          = k;
  c->device          = -1;
  c->device_function = backend_function(k);
  c->args            = PyMem_Calloc(1, k->args_size);
  if (c->args) return c;
  Py_DECREF(c);
  PyErr_NoMemory();
  return NULL;
}

static PyObject *core_bind(PyObject *self, PyObject *args, PyObject *fields)
{
  (void)self;
  const char *name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  const struct kernel *k = find_kernel(name);
  if (!k) return PyErr_Format(PyExc_KeyError, "no kernel %s", name);
  Call *c = new_call(k);
  if (c && bind_fields(c, fields) < 0) Py_CLEAR(c);
  return (PyObject *)c;
}

/* A call over a part of the items: its arrays are those that were checked for the whole. */
static PyObject *call_part(Call *whole, PyObject *over)
{
  Call *c = new_call(whole->kernel);
  if (!c) return NULL;
  memcpy(c->args, whole->args, whole->kernel->args_size);
  c->device = whole->device;
  c->whole  = Py_NewRef((PyObject *)whole);
  if (narrow(c, over) < 0) Py_CLEAR(c);
  return (PyObject *)c;
}

static void call_dealloc(Call *c)
{
  PyTypeObject *t = Py_TYPE((PyObject *)c);
  for (int i = 0; i < c->operands; i++) backend_release(&c->operand[i]);
  Py_XDECREF(c->whole);
  PyMem_Free(c->args);
  PyObject_Free(c);
  Py_DECREF(t);
}

static PyObject *call_call(Call *c, PyObject *args, PyObject *keywords)
{
  if (PyTuple_Size(args) || (keywords && PyDict_Size(keywords)))
    return PyErr_Format(PyExc_TypeError, "%s: a bound call takes no arguments", c->kernel->name);
  int code;
  Py_BEGIN_ALLOW_THREADS
  code = backend_launch(c);
  Py_END_ALLOW_THREADS
  if (code) return backend_error(code);
  Py_RETURN_NONE;
}

static PyObject *call_repr(Call *c)
{
  const struct range *r = c->args;
  return PyUnicode_FromFormat("<call %s over %s %d..%d>", c->kernel->name, c->kernel->over, r->first,
                              r->first + r->count);
}

static PyObject *call_kernel(Call *c, void *closure)
{
  (void)closure;
  return PyUnicode_FromString(c->kernel->name);
}

/* The arrays by the names of their fields; those of a part are those of the whole. */
static PyObject *call_fields(Call *c, void *closure)
{
  (void)closure;
  while (c->whole) c = (Call *)c->whole;
  PyObject *all = PyDict_New();
  int       j   = 0;
  for (const struct field *f = c->kernel->fields(); all && f->name; f++) {
    if (is_scalar(f)) continue;
    const struct operand *op    = &c->operand[j++];
    PyObject             *array = op->has_view ? op->view.obj : op->owner;
    if (array && PyDict_SetItemString(all, f->name, array) < 0) Py_CLEAR(all);
  }
  return all;
}

/* kernels() -> {name: (over, [(field, mode, type, shape), ...])} */
static PyObject *core_kernels(PyObject *self, PyObject *none)
{
  (void)self, (void)none;
  PyObject *all = PyDict_New();
  for (const struct kernel *k = kernels_f64; all && k->name; k++) {
    PyObject *rows = PyList_New(0);
    for (const struct field *f = k->fields(); rows && f->name; f++) {
      PyObject *row = Py_BuildValue("(ssss)", f->name, f->mode, f->type, f->shape);
      if (!row || PyList_Append(rows, row) < 0) Py_CLEAR(rows);
      Py_XDECREF(row);
    }
    PyObject *entry = rows ? Py_BuildValue("(sN)", k->over, rows) : NULL;
    if (!entry || PyDict_SetItemString(all, k->name, entry) < 0) Py_CLEAR(all);
    Py_XDECREF(entry);
  }
  return all;
}

PyMethodDef bind_methods[] = {
    {"bind", (PyCFunction)(void (*)(void))core_bind, METH_VARARGS | METH_KEYWORDS,
     "bind(name, over=None, **fields) -> Call: check every field against the kernel's declaration."},
    {"record", (PyCFunction)(void (*)(void))core_record, METH_VARARGS | METH_KEYWORDS,
     "record(items, times=1, flag=None) -> Recording of bound calls and recordings."},
    {"kernels", core_kernels, METH_NOARGS, "kernels() -> {name: (set, [(field, mode, type, shape)])}"},
    {0}};

static PyMethodDef call_methods[] = {
    {"part", (PyCFunction)(void (*)(void))call_part, METH_VARARGS,
     "part(first, count) -> Call over these items alone, on the arrays that were checked for this one."},
    {0}};

static PyGetSetDef call_members[] = {
    {"kernel", (getter)(void (*)(void))call_kernel, NULL, "Name of the kernel, without its precision.", NULL},
    {"fields", (getter)(void (*)(void))call_fields, NULL, "Arrays by the names of their fields, but for absent ones.",
     NULL},
    {0}};

static PyType_Slot call_slots[] = {{Py_tp_dealloc, call_dealloc}, {Py_tp_call, call_call},      {Py_tp_repr, call_repr},
                                   {Py_tp_methods, call_methods}, {Py_tp_getset, call_members}, {0, NULL}};
static PyType_Spec call_spec    = {"kinemesh.Call", sizeof(Call), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, call_slots};

int bind_types(PyObject *module)
{
  CallType = (PyTypeObject *)PyType_FromSpec(&call_spec);
  if (!CallType || PyModule_AddObjectRef(module, "Call", (PyObject *)CallType) < 0) return -1;
  return recording_type(module);
}
