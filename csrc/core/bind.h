/* bind.h - what bind.c asks of a backend: host memory in _core, device memory in _cuda. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "table.h"

#define MAX_AXES 4

/* An array as bind sees it.  `owner` or `view` keeps the memory alive. */
struct operand {
  char      *ptr;
  Py_ssize_t shape[MAX_AXES], bytes;
  int        axes, readonly, device; /* device: -1 where an empty array has none */
  char       format;                 /* d f i Q, or what was found */
  PyObject  *owner;
  Py_buffer  view;
  int        has_view, foreign; /* foreign: memory that another library manages */
};

typedef struct {
  PyObject_HEAD
  const struct kernel *kernel;
  const void          *device_function;
  int                  device, operands;
  struct operand       operand[MAX_FIELDS];
  void                *args;  /* struct <kernel>_args */
  PyObject            *whole; /* of a part: the call that holds its arrays */
} Call;

/* Seconds per launch of a recording on the host with one thread [0] and with all [1]. */
struct timing {
  double seconds[2];
  int    runs, all, gap, until;
};

/* A list of calls and recordings, run in order `times` times; on the host the repetition ends
 * when `flag` (i32, any length) holds nothing but zeros: what would follow writes nothing.     */
typedef struct {
  PyObject_HEAD
  PyObject      *items; /* tuple of Call and Recording: keeps them alive */
  PyObject     **item;
  i32            count;
  i32            times;
  struct operand flag;
  void          *graph; /* device: executable graph, made at the first run */
  int            device, captured;
  struct timing  timing;
} Recording;

extern PyTypeObject *CallType, *RecordingType;
extern PyMethodDef   bind_methods[];
int                  bind_types(PyObject *module); /* Call and Recording */
int                  recording_type(PyObject *module);
PyObject            *core_record(PyObject *self, PyObject *args, PyObject *keywords);

/* The backend: 0 is good; otherwise a Python error is set (resolve, fetch) or a code returned. */
int         backend_resolve(PyObject *object, struct operand *to);
void        backend_release(struct operand *op);
const void *backend_fetch(const struct operand *op, void **to_free); /* host copy of contents */
int         backend_known(const struct operand *op, int what, Py_ssize_t limit);
void        backend_learn(const struct operand *op, int what, Py_ssize_t limit);
void        backend_writes(const struct operand *op); /* nothing is known of what a call may write */
const void *backend_function(const struct kernel *k);
int         backend_launch(const Call *call);
int         backend_run(Recording *recording);
void        backend_drop(Recording *recording);
PyObject   *backend_error(int code);
