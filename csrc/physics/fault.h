/* fault.h - what a kernel may report (texts in python/kinemesh/device/faults.py), in a step's order. */
#pragma once
enum fault_code {
  FAULT_AREA     = 1, /* cell or dual volume not positive */
  FAULT_DENSITY  = 2, /* density not positive, or not a number */
  FAULT_PRESSURE = 3, /* pressure not positive, or not a number */
  FAULT_PIVOT    = 4, /* singular diagonal block */
  FAULT_GRAPH    = 5, /* element of the Delaunay graph folds */
  FAULT_DIVERGED = 6, /* residual far above the first of the step, or not a number */
  FAULT_PLACE    = 7, /* coordinate of a given point not finite */
  FAULT_EDDIES   = 8, /* turbulent viscosity not a number */
};
