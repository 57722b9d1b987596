/* sizes.h - the sizes of blocks: kernels on blocks of each (blocks.h), or where LISTED their rows of the table. */
#define B 1
#include "blocks.h"
#define B 2
#include "blocks.h"
#define B 3
#include "blocks.h"
#define B 4
#include "blocks.h"
#define B 5
#include "blocks.h"
#define B 6
#include "blocks.h"
#define B 7
#include "blocks.h"
