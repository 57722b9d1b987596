/* array.h - Array: memory of a CUDA device that Python owns. */
#pragma once
#include "bind.h"
#include "device.h"

#define VERDICTS 4

typedef struct {
  PyObject_HEAD
  char      *ptr; /* NULL until allocated; an empty array has memory too */
  Py_ssize_t shape[MAX_AXES], bytes;
  int        axes, device;
  char       format; /* as in struct operand */
  int        written, verdicts;
  struct {
    int        what;
    Py_ssize_t limit;
  } verdict[VERDICTS]; /* what bind has found its entries to be, while nobody can write them */
} Array;

void array_writes(Array *a); /* from now on somebody may write it, unseen */

extern PyTypeObject *ArrayType;
int                  array_type(PyObject *module);

/* dlpack.c */
PyObject *array_dlpack(Array *a, PyObject *args, PyObject *keywords);
PyObject *array_dlpack_device(Array *a, PyObject *none);

/* sparse_bind.c */
extern PyMethodDef sparse_methods[];
