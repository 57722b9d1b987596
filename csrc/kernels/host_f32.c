/* host_f32.c - every kernel for the CPU, real = f32. */
#define REAL_IS_F32
#include "all.h"
