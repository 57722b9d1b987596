/* lanes.c - the lanes of a team that shares a renewed row (csrc/kernels/linear/rim_row.h), 32 threads in step, beside
 * sums in one loop.  Prints each difference; ends with their number.                               */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t i32;
typedef float   f32;
typedef double  f64;
#define HD           static
#define LANES        32
#define PARTS(width) (width)
#define UNROLL

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

static uint32_t lanes_like(i32 own)
{
  uint32_t bits = 0;
  tell(own);
  for (i32 k = 0; k < LANES; k++) bits |= (uint32_t)((i32)told[k] == own) << k;
  pthread_barrier_wait(&step);
  return bits;
}

static i32 bits_set(uint32_t bits)
{
  return __builtin_popcount(bits);
}

static i32 bits_before(uint32_t bits, i32 lane)
{
  return bits_set(bits & ((1u << lane) - 1));
}

static i32 lowest_bit(uint32_t bits)
{
  return __builtin_ctz(bits);
}

static void team_step(void)
{
  pthread_barrier_wait(&step);
}

static i32 claim(i32 *place, i32 none, i32 own)
{
  return __atomic_compare_exchange_n(place, &none, own, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#include "kernels/linear/rim_row.h"

#define MOST 600 /* entries, and columns; of a short row */
#define FEW  180
#define ROWS 40
#define LONG 70 /* entries of a row */
#define OWN  2
static struct rim_table table, spare;
static struct rim_both  both; /* of a long row, which is put in order where it is */
static i32              is_long;
static struct rim_span  row[ROWS];
static f64              factor[ROWS];
static i32              column[2][ROWS * LONG], each[MOST], stored[MOST + 1], entries, wide, many;
static f32              value[2][ROWS * LONG], result[MOST + 1];

static void *lane_of(void *number)
{
  const struct rim_span none = {0, 0, 0};
  struct rim_row        s;
  me = (i32)(intptr_t)number;
  if (is_long)
    rim_empty(&s, both.column, both.value, RIM_BOTH, me);
  else
    rim_empty(&s, table.column, table.value, RIM_KEYS, me);
  for (i32 k = 0; k < ROWS; k += LANES) {
    const i32 left = ROWS - k < LANES
    ? ROWS - k : LANES
    , own = k + me;
    rim_add_rows(&s, left, me < left ? row[own] : none, me < left ? factor[own] : 0, k ? LANES : LANES / 4, column[0],
                 value[0], column[1], value[1]);
  }
  for (i32 e = 0; e < entries; e += LANES)
    rim_add_each(&s, e + me < entries ? each[e + me] : -1, e + me < entries ? (f64)value[0][e + me] : 0);
  rim_add(&s, me == 7 ? OWN : -1, 2.5);
  if (is_long) {
    rim_pack(&s);
    rim_sort_here(&s);
    rim_write(&s, OWN, wide, &many, stored, result);
  } else {
    rim_store(&s, &spare, OWN, wide, &many, stored, result);
  }
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
  for (i32 k = 0; k < ROWS; k++)
    for (i32 e = row[k].begin; e < row[k].end; e++) {
      const i32 of = row[k].renewed, c = column[of][e];
      if (c >= 0) sum[c] += factor[k] * (f64)value[of][e], there[c] = 1;
    }
  for (i32 e = 0; e < entries; e++)
    if (each[e] >= 0) sum[each[e]] += (f64)value[0][e], there[each[e]] = 1;
  sum[OWN] += 2.5, there[OWN] = 1;
  for (i32 c = 0; c < MOST; c++) all += there[c];
  const i32 far = all > wide;
  i32       rank[MOST];
  for (i32 c = 0, k = 0; c < MOST; k += there[c++]) rank[c] = k;
  const i32 kept = far && rank[OWN] >= wide ? wide - 1 : wide;
  for (i32 c = 0; c < MOST; c++) rest += there[c] && rank[c] >= kept && c != OWN ? sum[c] : 0;
  for (i32 c = 0; c < MOST && at < wide; c++) {
    if (!there[c] || (rank[c] >= kept && c != OWN)) continue;
    const f64 want = c == OWN ? sum[c] + rest : sum[c], room = 1e-7 * fabs(want) + (c == OWN ? 1e-6 : 1e-12);
    const i32 good = stored[at] == c && fabs((f64)result[at] - want) <= room;
    if (!good) printf("trial %d, column %d: %d, %g for %g\n", trial, c, stored[at], (f64)result[at], want);
    found += !good;
    at++;
  }
  return found + (many != (far ? wide : all));
}

/* Entries of a row, none of whose columns is there twice. */
static void make_row(i32 k, i32 columns)
{
  const i32 of = k % 3 == 0, count = rand() % LONG;
  i32       next = rand() % columns;
  row[k].begin = row[k].end = k * LONG, row[k].renewed = of;
  factor[k] = rand() / (f64)RAND_MAX - 0.5;
  for (i32 e = 0; e < count && e < columns; e++, row[k].end++) {
    column[of][k * LONG + e] = rand() % 17 ? next : -1;
    next                     = (next + 1) % columns;
  }
}

int main(void)
{
  i32 found = 0;
  for (i32 trial = 0; trial < 18; trial++) {
    is_long = trial >= 12;
    srand((unsigned)trial + 1);
    const i32 columns = 5 + rand() % ((is_long ? MOST : FEW) - 5);
    entries           = 1 + rand() % MOST;
    wide              = trial % 3 ? MOST : 24;
    for (i32 k = 0; k < ROWS; k++) make_row(k, columns);
    for (i32 e = 0; e < entries; e++) each[e] = rand() % 17 ? rand() % columns : -1;
    for (i32 e = 0; e < 2 * ROWS * LONG; e++) value[e % 2][e / 2] = (f32)(rand() / (f64)RAND_MAX - 0.5);
    f32 before[MOST + 1];
    run();
    found += differences(trial);
    memcpy(before, result, sizeof before);
    run();
    found += memcmp(before, result, (size_t)many * sizeof *before) != 0;
  }
  return found > 100 ? 100 : found;
}
