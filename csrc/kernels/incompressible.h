/* incompressible.h - kernels of incompressible flow, once per dimension with the facets of its cells (in the
 * plane mesh/facets.h). */
#include "physics/incompressible.h"
#include "mesh/inc_cell.h"
#include "mesh/inc_momentum.h"
#include "mesh/inc_step.h"
#include "mesh/inc_steady.h"
#include "mesh/inc_boundary.h"
