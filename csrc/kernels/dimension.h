/* dimension.h - gas, fluxes and clouds of one dimension (DIM, and what all.h defines with it). */
#include "../physics/gas.h"
#include "../physics/riemann.h"
#include "../physics/fit.h"
#include "state.h"
#include "cloud.h"
#include "cloud_lusgs.h"
#include "cloud_gradient.h"
#include "cloud_implicit.h"
