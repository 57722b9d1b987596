/* gather.h - sums and maxima over groups: of counts, and of the chunks of one member; in any unit. */

#define GATHER_1(F) F(in, i32, offsets, "groups+1>>chunks") F(in, f64, parts, "chunks,1") F(out, f64, sums, "groups,1")
#define GATHER_2(F) F(in, i32, offsets, "groups+1>>chunks") F(in, f64, parts, "chunks,2") F(out, f64, sums, "groups,2")
#define GATHER_4(F) F(in, i32, offsets, "groups+1>>chunks") F(in, f64, parts, "chunks,4") F(out, f64, sums, "groups,4")
REDUCE(gather_sum_1, GATHER_1, sum, 1)
{
  s[0] += parts[i];
}
REDUCE(gather_sum_4, GATHER_4, sum, 4)
{
  for (i32 v = 0; v < 4; v++) s[v] += parts[4 * i + v];
}
#define GATHER_6(F) F(in, i32, offsets, "groups+1>>chunks") F(in, f64, parts, "chunks,6") F(out, f64, sums, "groups,6")
REDUCE(gather_sum_6, GATHER_6, sum, 6)
{
  for (i32 v = 0; v < 6; v++) s[v] += parts[6 * i + v];
}
REDUCE(gather_max_2, GATHER_2, max, 2)
{
  for (i32 v = 0; v < 2; v++) s[v] = OP_max(s[v], parts[2 * i + v]);
}
#define GATHER_COUNTS(F) \
  F(in, i32, offsets, "groups+1>>items") F(in, i32, counts, "items") F(out, f64, sums, "groups,1")
REDUCE(gather_counts, GATHER_COUNTS, sum, 1)
{
  s[0] += counts[i];
}
