/* dimension.h - gas, fluxes and clouds of one dimension (DIM, and what all.h defines with it). */
#include "physics/gas.h"
#include "physics/riemann.h"
#include "physics/fit.h"
#include "flow/state.h"
#include "cloud/roe.h"
#include "cloud/lusgs_space.h"
#include "cloud/gradient.h"
#include "cloud/jacobian.h"
