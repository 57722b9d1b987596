/* sparse.h - what the Python side of _cuda asks of cuSPARSE: ILU(0) of a scalar CSR matrix in the
 * order in which it is given, its two triangular solves, the product, and BiCGSTAB around them.
 * The library is opened at first use: _cuda imports without it.  As in device.h, 0 is good and a
 * code for sparse_text is returned otherwise; everything goes through the device's stream.     */
#pragma once
#include "core/table.h"

enum {
  SPARSE_MISSING = -11,  /* the library, or a function of it, is not there */
  SPARSE_BREAK   = -12,  /* BiCGSTAB met a zero or a number that is none */
  SPARSE_STATUS  = 20000 /* plus a status of cuSPARSE */
};

struct sparse;

#ifdef __cplusplus
extern "C" {
#endif
const char *sparse_text(int code);
int         sparse_open(const char *path); /* a file, or a name for the loader; the first that opens stays */

/* row (rows+1), column (entries, ascending within a row), A and LU (entries) are on the device and
 * stay the caller's; A may change between two calls of sparse_factor.                          */
int sparse_create(int device, i32 rows, i32 entries, const i32 *row, const i32 *column, const f64 *A, f64 *LU,
                  struct sparse **to);
int sparse_factor(struct sparse *s, i32 *zero);             /* LU of A; zero: first row whose pivot is 0, or -1 */
int sparse_apply(struct sparse *s, const f64 *b, f64 *y);   /* y = U^-1 L^-1 b */
int sparse_product(struct sparse *s, const f64 *x, f64 *y); /* y = A x */
/* From x = 0 until |b - A x| <= tolerance |b|, at most `most` iterations; with tolerance 0 the
 * host looks at the device only at the end.  drop: |r| / |b| as BiCGSTAB carries it along.     */
int  sparse_bicgstab(struct sparse *s, const f64 *b, f64 *x, f64 tolerance, i32 most, i32 *steps, f64 *drop);
void sparse_drop(struct sparse *s);
#ifdef __cplusplus
}
#endif
