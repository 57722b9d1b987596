/* shape.h - shapes of fields as kernels declare them (kernel.h), and the extents of the sets in them. */
#pragma once
#include "bind.h"

#define WORD 32
typedef struct {
  char       name[WORD];
  Py_ssize_t value;
} extent;

/* Extents met so far while one call is bound. */
typedef struct {
  const char *kernel;
  extent      extent[2 * MAX_FIELDS];
  int         count;
} sets;

/* One axis of a shape: "4", "nodes" or "nodes+1". */
typedef struct {
  char       name[WORD]; /* empty: a plain number */
  Py_ssize_t plus;
} axis;

/* "edges,2>nodes?!" taken apart. */
typedef struct {
  axis axis[MAX_AXES];
  int  axes, offsets, optional, unique;
  char target[WORD];
} shape;

void    parse_shape(const char *text, shape *s);
extent *find_set(sets *known, const char *name); /* NULL: not met yet */
