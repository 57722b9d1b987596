/* gather.h - the second stage of sums and maxima over members: chunks of one member; in any unit. */

#define GATHER_2(F) F(in, i32, offsets, "groups+1>>chunks") F(in, f64, parts, "chunks,2") F(out, f64, sums, "groups,2")
#define GATHER_4(F) F(in, i32, offsets, "groups+1>>chunks") F(in, f64, parts, "chunks,4") F(out, f64, sums, "groups,4")
REDUCE(gather_sum_4, GATHER_4, sum, 4)
{
  for (i32 v = 0; v < 4; v++) s[v] += parts[4 * i + v];
}
REDUCE(gather_max_2, GATHER_2, max, 2)
{
  for (i32 v = 0; v < 2; v++) s[v] = OP_max(s[v], parts[2 * i + v]);
}
