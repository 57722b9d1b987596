/* host_f64.c - every kernel for the CPU, real = f64. */
#include "all.h"
