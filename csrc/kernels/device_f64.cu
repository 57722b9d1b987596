/* device_f64.cu - every kernel for CUDA, real = f64. */
#include "all.h"
