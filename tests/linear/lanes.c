/* lanes.c - the lanes of a team that shares a renewed row (csrc/kernels/linear/rim_row.h), 32 threads in step, beside
 * sums in one loop.  Prints each difference; ends with their number.                               */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int32_t i32;
typedef float   f32;
typedef double  f64;
#define HD           static
#define LANES        32
#define PARTS(width) (width)

static __thread i32      me;
static pthread_barrier_t step;
static f64               told[LANES];

/* What each lane tells the others; told stays as it is until all have read. */
static void tell(f64 own)
{
  told[me] = own;
  pthread_barrier_wait(&step);
}

static f64 read_from(f64 own, i32 lane)
{
  tell(own);
  const f64 found = told[lane];
  pthread_barrier_wait(&step);
  return found;
}

static i32 lane_i32(i32 own, i32 lane, i32 width)
{
  return (i32)read_from(own, lane % width);
}

static f64 lane_f64(f64 own, i32 lane, i32 width)
{
  return read_from(own, lane % width);
}

static f64 together_f64(f64 part, i32 width)
{
  for (i32 half = width / 2; half > 0; half /= 2) part += read_from(part, me ^ half);
  return part;
}

static uint32_t lanes_with(i32 so)
{
  uint32_t bits = 0;
  tell(so != 0);
  for (i32 k = 0; k < LANES; k++) bits |= (uint32_t)(told[k] > 0) << k;
  pthread_barrier_wait(&step);
  return bits;
}

static i32 lowest_bit(uint32_t bits)
{
  return __builtin_ctz(bits);
}

#include "kernels/linear/rim_row.h"

#define MOST 180 /* entries, and columns */
#define OWN  2
static i32 column[MOST], stored[MOST + 1], entries, wide, many;
static f32 value[MOST], result[MOST + 1];

static void *lane_of(void *number)
{
  struct rim_row s;
  me = (i32)(intptr_t)number;
  rim_empty(&s, me);
  rim_add_row(&s, 0, entries, column, value, 0.37);
  rim_add_row(&s, entries / 3, entries, column, value, -1.3);
  rim_add(&s, OWN, 2.5);
  rim_store(&s, OWN, wide, &many, stored, result);
  return NULL;
}

static void run(void)
{
  pthread_t thread[LANES];
  pthread_barrier_init(&step, NULL, LANES);
  for (i32 k = 0; k < LANES; k++) pthread_create(thread + k, NULL, lane_of, (void *)(intptr_t)k);
  for (i32 k = 0; k < LANES; k++) pthread_join(thread[k], NULL);
  pthread_barrier_destroy(&step);
}

/* The row by one loop: columns in order, and where they are too many the rest in that of `own`. */
static i32 differences(i32 trial)
{
  f64 sum[MOST] = {0}, rest = 0;
  i32 there[MOST] = {0}, all = 0, at = 0, found = 0;
  for (i32 k = 0; k < entries; k++)
    if (column[k] >= 0) sum[column[k]] += 0.37 * (f64)value[k], there[column[k]] = 1;
  for (i32 k = entries / 3; k < entries; k++)
    if (column[k] >= 0) sum[column[k]] += -1.3 * (f64)value[k];
  sum[OWN] += 2.5, there[OWN] = 1;
  for (i32 c = 0; c < MOST; c++) all += there[c];
  for (i32 c = 0, rank = 0; c < MOST; rank += there[c++]) rest += rank < wide ? 0 : sum[c];
  for (i32 c = 0; c < MOST && at < wide; c++) {
    if (!there[c]) continue;
    const f64 want = c == OWN ? sum[c] + rest : sum[c], room = c == OWN && all > wide ? 1e-5 : 0;
    const i32 good = stored[at] == c && fabs((f64)result[at] - (f64)(f32)want) <= room;
    if (!good) printf("trial %d, column %d: %d, %g for %g\n", trial, c, stored[at], (f64)result[at], want);
    found += !good;
    at++;
  }
  return found + (many != (all < wide ? all : wide));
}

int main(void)
{
  i32 found = 0;
  for (i32 trial = 0; trial < 12; trial++) {
    srand((unsigned)trial + 1);
    entries = 1 + rand() % MOST;
    wide    = trial % 3 ? MOST : 24;
    for (i32 k = 0, columns = 5 + rand() % (MOST - 5); k < entries; k++) {
      column[k] = rand() % 17 ? rand() % columns : -1;
      value[k]  = (f32)(rand() / (f64)RAND_MAX - 0.5);
    }
    run();
    found += differences(trial);
  }
  return found > 100 ? 100 : found;
}
