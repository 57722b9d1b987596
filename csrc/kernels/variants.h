/* variants.h - rows of the table of kernels that are written once and made for each of several variants, by lists with
 * an entry each; once per dimension.                                                              */
#include "numbers.h"
#include "mesh/fluxes.h"
#include "limiters.h"
#include "mesh/conditions.h"
