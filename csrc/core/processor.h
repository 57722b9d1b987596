/* processor.h - whether the processor has what the compiler was told that it has (-march). */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* 0, or -1 and an ImportError that names what the processor lacks of `needs`, a list with a space
 * before and after each name; setup.py makes it, as NEEDS, of what gcc defines for -march.      */
int processor_check(PyObject *module, const char *needs);
