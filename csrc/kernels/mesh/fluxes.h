/* fluxes.h - the fluxes through faces of meshes, an entry each (face.h), with the matrices that they are marched with;
 * where LISTED their rows of the table.  Once per dimension.                                      */
#ifndef LISTED
#include "columns.h"
#include "jacobian.h"
#endif

/* Roe's flux, and its matrix (theory eq. 2.9). */
#define VARIANT  _roe
#define FLUX     N(flux_roe)
#define MATRIX   /* ale_jacobian */
#define MEAN     N(roe_average)
#define JACOBIAN N(roe_jacobian)
#ifndef __CUDACC__
#define BLOCKS N(roe_blocks)
#endif
#include "face.h"

/* HLLC's flux, with the matrix of Roe's, whose wave speeds it has. */
#define VARIANT _hllc
#define FLUX    N(flux_hllc)
#define MATRIX  /* ale_jacobian */
#include "face.h"
