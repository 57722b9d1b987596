/* host_f64.c - every kernel for the CPU, real = f64; and the number of the gas that Python reads. */
#include "all.h"

const f64 gas_gamma = GAMMA;
