/* host_f64.c - every kernel for the CPU, real = f64; and the numbers that Python reads: of the gas, of thin layers, of
 * bins.                                                                                         */
#include "all.h"

const struct constant constants[] = {
    {"GAMMA", GAMMA},
    {"LAYER_ALIKE", LAYER_ALIKE},
    {"LAYER_NEARLY", LAYER_NEARLY},
    {"LAYER_ALONG", LAYER_ALONG},
    {"BIN_MARGIN", BIN_MARGIN},
    {"BIN_POINT_X", BIN_POINT(0)},
    {"BIN_POINT_Y", BIN_POINT(1)},
    {"BIN_POINT_Z", BIN_POINT(2)},
    {0},
};
