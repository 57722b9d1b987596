/* check.c - see check.h. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

int is_scalar(const struct field *f)
{
  return !strcmp(f->mode, "val") || !strcmp(f->mode, "size");
}

int is_optional(const struct field *f)
{
  return !strcmp(f->mode, "opt") || !strcmp(f->mode, "opt_near");
}

int is_written(const struct field *f)
{
  return strcmp(f->mode, "in") && strcmp(f->mode, "near") && !is_optional(f) && !is_scalar(f);
}

/* Whether all entries are from `least` to below `limit`; without a branch: a table may have 10^8. */
static int all_within(const i32 *table, Py_ssize_t count, i32 least, Py_ssize_t limit)
{
  i32 low = INT32_MAX, high = INT32_MIN;
  for (Py_ssize_t i = 0; i < count; i++) {
    low  = table[i] < low ? table[i] : low;
    high = table[i] > high ? table[i] : high;
  }
  return !count || (low >= least && high < limit);
}

/* Rows of a table that are of other items than a call's: no other call of it runs at the same time, so that an
 * index may stand in them again. */
static int is_other(const Call *c, const shape *s, Py_ssize_t entry, Py_ssize_t count)
{
  const struct range *r = c->args;
  if (r->count == r->n || strcmp(s->axis[0].name, c->kernel->over)) return 0;
  const Py_ssize_t item = entry / (count / r->n);
  return item < r->first || item >= r->first + r->count;
}

static int check_entries(const Call *c, const struct field *f, const shape *s, const i32 *table, Py_ssize_t count,
                         Py_ssize_t limit)
{
  if (!s->offsets && !s->unique && all_within(table, count, s->optional ? -1 : 0, limit)) return 0;
  char *seen = s->unique ? calloc((size_t)limit + 1, 1) : NULL;
  int   bad  = 0;
  if (s->unique && !seen) return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < count && !bad; i++) {
    const i32 x = table[i];
    if (s->offsets) {
      const Py_ssize_t least = i ? table[i - 1] : 0, most = i ? limit : 0;
      if (x < least || x > most || (i == count - 1 && x != limit)) {
        PyErr_Format(PyExc_IndexError, "%s: %s[%zd] is %d, expected offsets that rise from 0 to %s = %zd",
                     c->kernel->name, f->name, i, x, s->target, limit);
        bad = 1;
      }
    } else if (x < (s->optional ? -1 : 0) || x >= limit) {
      PyErr_Format(PyExc_IndexError, "%s: %s[%zd] is %d, expected an index into %s = %zd", c->kernel->name, f->name, i,
                   x, s->target, limit);
      bad = 1;
    } else if (seen && x >= 0 && !is_other(c, s, i, count) && seen[x]++) {
      PyErr_Format(PyExc_IndexError, "%s: %s[%zd] is %d for the second time, expected each of %s once", c->kernel->name,
                   f->name, i, x, s->target);
      bad = 1;
    }
  }
  free(seen);
  return bad ? -1 : 0;
}

/* Indices are trusted inside kernels, so they are read once here. */
int check_tables(const Call *c, sets *known)
{
  int j = 0;
  for (const struct field *f = c->kernel->fields(); f->name; f++) {
    if (is_scalar(f)) continue;
    const struct operand *op = &c->operand[j++];
    shape                 s;
    parse_shape(f->shape, &s);
    if (is_written(f)) backend_writes(op);
    if (!*s.target || !op->ptr) continue;
    const extent *to = find_set(known, s.target);
    if (!to) {
      PyErr_Format(PyExc_ValueError, "%s: %s has target %s, expected a set that some array fixes", c->kernel->name,
                   f->name, s.target);
      return -1;
    }
    const struct range *r = c->args;
    const int whole = !s.unique || r->count == r->n, what = 1 + !!s.offsets + 2 * !!s.unique + 4 * !!s.optional;
    if (whole && backend_known(op, what, to->value)) continue;
    void      *to_free = NULL;
    const i32 *table   = backend_fetch(op, &to_free);
    if (!table && op->bytes) return -1;
    const int bad = check_entries(c, f, &s, table, op->bytes / 4, to->value);
    free(to_free);
    if (bad) return -1;
    if (whole) backend_learn(op, what, to->value);
  }
  return 0;
}

/* Kernels are compiled with restrict: a written field may overlap no other field. */
int check_overlap(const Call *c)
{
  int a = 0;
  for (const struct field *f = c->kernel->fields(); f->name; f++) {
    if (is_scalar(f)) continue;
    const struct operand *x = &c->operand[a++];
    if (!is_written(f) || !x->ptr) continue;
    int b = 0;
    for (const struct field *g = c->kernel->fields(); g->name; g++) {
      if (is_scalar(g)) continue;
      const struct operand *y = &c->operand[b++];
      if (x == y || !y->ptr || x->ptr >= y->ptr + y->bytes || y->ptr >= x->ptr + x->bytes) continue;
      PyErr_Format(PyExc_ValueError, "%s: %s overlaps %s, expected memory of its own", c->kernel->name, f->name,
                   g->name);
      return -1;
    }
  }
  return 0;
}
