/* meshes.h - kernels on meshes that know neither the shape of cells nor how many dimensions there are, once
 * per dimension as those of dimension.h: in space with area vectors, swept and dual volumes of its own
 * (in the plane mesh/metrics.h, cells.h).                                                         */
#include "mesh/gradient.h"
#include "mesh/flux.h"
#include "mesh/boundary.h"
#include "mesh/jacobian.h"
#include "mesh/lusgs.h"
