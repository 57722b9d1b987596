/* check.h - what bind.c checks of bound arrays beyond type and shape: the contents of index tables, and
 * that what is written overlaps nothing.                                                         */
#pragma once
#include "shape.h"

int is_scalar(const struct field *f);
int is_optional(const struct field *f);
int is_written(const struct field *f);

/* 0 is good; otherwise a Python error is set. */
int check_tables(const Call *c, sets *known);
int check_overlap(const Call *c);
