/* recording.c - the Python face of recordings: bound calls and recordings that run as one.
 *   step = record([call, call], times=4, flag=active);  step()                                   */
#include "bind.h"

#include <string.h>

PyTypeObject *RecordingType;

PyObject *core_record(PyObject *self, PyObject *args, PyObject *keywords)
{
  (void)self;
  static char *names[] = {"items", "times", "flag", NULL};
  PyObject    *list, *flag = Py_None;
  int          times = 1;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|iO", names, &list, &times, &flag)) return NULL;
  if (times < 1) return PyErr_Format(PyExc_ValueError, "record: times has %d, expected at least 1", times);
  PyObject *items = PySequence_Tuple(list);
  if (!items) return NULL;
  for (Py_ssize_t i = 0; i < PyTuple_Size(items); i++) {
    PyObject *item = PyTuple_GetItem(items, i);
    if (Py_TYPE(item) == CallType || Py_TYPE(item) == RecordingType) continue;
    PyErr_Format(PyExc_TypeError, "record: item %zd has %R, expected a bound call or a recording", i, item);
    Py_DECREF(items);
    return NULL;
  }
  Recording *r = PyObject_New(Recording, RecordingType);
  if (!r) return Py_DECREF(items), NULL;
  memset((char *)r + sizeof(PyObject), 0, sizeof *r - sizeof(PyObject));
  r->items = items, r->times = times, r->device = -1;
  r->count = (i32)PyTuple_Size(items);
  r->item  = PyMem_Calloc((size_t)r->count + 1, sizeof *r->item);
  if (!r->item) return Py_DECREF(r), PyErr_NoMemory();
  for (i32 i = 0; i < r->count; i++) r->item[i] = PyTuple_GetItem(items, i);
  if (flag != Py_None && (backend_resolve(flag, &r->flag) < 0 || r->flag.format != 'i')) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "record: flag has another dtype, expected int32");
    Py_DECREF(r);
    return NULL;
  }
  return (PyObject *)r;
}

static void recording_dealloc(Recording *r)
{
  PyTypeObject *t = Py_TYPE((PyObject *)r);
  backend_drop(r);
  backend_release(&r->flag);
  Py_XDECREF(r->items);
  PyMem_Free(r->item);
  PyObject_Free(r);
  Py_DECREF(t);
}

static PyObject *recording_call(Recording *r, PyObject *args, PyObject *keywords)
{
  if (PyTuple_Size(args) || (keywords && PyDict_Size(keywords)))
    return PyErr_Format(PyExc_TypeError, "a recording takes no arguments");
  int code;
  Py_BEGIN_ALLOW_THREADS
  code = backend_run(r);
  Py_END_ALLOW_THREADS
  if (code) return backend_error(code);
  Py_RETURN_NONE;
}

static PyObject *recording_items(Recording *r, void *closure)
{
  (void)closure;
  return Py_NewRef(r->items);
}

static PyGetSetDef recording_members[] = {
    {"items", (getter)(void (*)(void))recording_items, NULL, "Its calls and recordings, in order.", NULL}, {0}};

static PyType_Slot recording_slots[] = {
    {Py_tp_dealloc, recording_dealloc}, {Py_tp_call, recording_call}, {Py_tp_getset, recording_members}, {0, NULL}};
static PyType_Spec recording_spec = {"kinemesh.Recording", sizeof(Recording), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, recording_slots};

int recording_type(PyObject *module)
{
  RecordingType = (PyTypeObject *)PyType_FromSpec(&recording_spec);
  return RecordingType ? PyModule_AddObjectRef(module, "Recording", (PyObject *)RecordingType) : -1;
}
