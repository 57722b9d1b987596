/* array.h - Array: memory of a CUDA device that Python owns. */
#pragma once
#include "bind.h"
#include "device.h"

typedef struct {
  PyObject_HEAD
  char      *ptr; /* NULL until allocated; an empty array has memory too */
  Py_ssize_t shape[MAX_AXES], bytes;
  int        axes, device;
  char       format; /* as in struct operand */
} Array;

extern PyTypeObject *ArrayType;
int                  array_type(PyObject *module);

/* dlpack.c */
PyObject *array_dlpack(Array *a, PyObject *args, PyObject *keywords);
PyObject *array_dlpack_device(Array *a, PyObject *none);

/* sparse_bind.c */
extern PyMethodDef sparse_methods[];
