/* device_f32.cu - every kernel for CUDA, real = f32. */
#define REAL_IS_F32
#include "all.h"
