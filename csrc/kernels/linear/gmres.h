/* gmres.h - GMRES (Saad and Schultz 1986) on vectors of B numbers a row whose rows stand by member, flexible
 * (Saad 1993) where M is an iteration that has not converged: its results are kept, and the solution is
 * their sum (docs/theory.md, section 5.4).  V and Z in float32, sums in float64 by chunks (TOTAL).
 * steps: vectors that a member has; status: 0 runs, 1 converged, 2 broke down; left: |residual| over |b|.
 * Of member m `hessenberg` has the columns of R, one after another, `rotations` the (c, s) of Givens, and
 * `side` the right-hand side that they turn along.                                               */

#define GMRES_VECTORS(F)             \
  F(in, i32, member, "rows>members") \
  F(in, i32, live, "members")        \
  F(in, i32, steps, "members")       \
  F(size, i32, vectors, "vectors")

/* The start, b in w: its norm, by which gmres_scale divides.  A member whose b is nothing has its solution. */
#define GMRES_FIRST(F)             \
  F(in, f32, w, "rows," STR(B))    \
  TOTALS(F, "rows")                \
  F(upd, f64, parts, "groups,1")   \
  F(size, i32, vectors, "vectors") \
  F(rw, i32, live, "members")      \
  F(rw, i32, status, "members")    \
  F(rw, f64, norm, "members")      \
  F(rw, f64, start, "members")     \
  F(rw, f64, left, "members")      \
  F(rw, f64, side, "members,vectors+1")
TOTAL(K(gmres_first_), GMRES_FIRST, sum, 1, live[m])
{
  for (i32 k = B * i; k < B * (i + 1); k++) s[0] += (f64)w[k] * (f64)w[k];
}
OF_MEMBER(K(gmres_first_), GMRES_FIRST)
{
  norm[m] = start[m] = side[(vectors + 1) * m] = sqrt(s[0]);
  left[m]                                      = 1;
  if (s[0] > 0 && s[0] < (f64)1e300) return;
  live[m] = 0, status[m] = s[0] > 0 || !(s[0] <= 0) ? 2 : 1;
  left[m] = status[m] == 1 ? 0 : 1;
}

/* The next vector of the basis: w over its norm. */
#define GMRES_SCALE(F)          \
  GMRES_VECTORS(F)              \
  F(in, f64, norm, "members")   \
  F(rw, f32, w, "rows," STR(B)) \
  F(rw, f32, V, "vectors+1,rows," STR(B))
LANES(K(gmres_scale_), GMRES_SCALE, indirect, B)
{
  const i32 m = member[i];
  if (!live[m]) return;
  const f64 per         = 1 / norm[m];
  f32      *to          = V + B * n * steps[m];
  EACH_LANE(k, B) to[k] = w[k] = (f32)(per * (f64)w[k]);
}

/* z = M v of the present vector is kept. */
#define GMRES_KEEP(F)           \
  GMRES_VECTORS(F)              \
  F(in, f32, z, "rows," STR(B)) \
  F(rw, f32, Z, "vectors,rows," STR(B))
LANES(K(gmres_keep_), GMRES_KEEP, indirect, B)
{
  const i32 m = member[i];
  if (!live[m]) return;
  f32 *to               = Z + B * n * steps[m];
  EACH_LANE(k, B) to[k] = z[k];
}

/* Products of w with the vectors `first` to first + 3, as many of them as there are: of the first pass of
 * Gram and Schmidt they are entries of the column, of the second (`again`) they are added to it.  */
#define GMRES_AT_ONCE 4
#define GMRES_DOTS(F)                     \
  F(in, i32, member, "rows>members")      \
  F(in, f32, w, "rows," STR(B))           \
  F(in, f32, V, "vectors+1,rows," STR(B)) \
  F(in, i32, live, "members")             \
  F(in, i32, steps, "members")            \
  F(size, i32, vectors, "vectors")        \
  F(size, i32, rows, "rows")              \
  F(val, i32, from, "")                   \
  F(val, i32, again, "")                  \
  TOTALS(F, "rows")                       \
  F(upd, f64, parts, "groups,4")          \
  F(rw, f64, dots, "members,vectors")     \
  F(rw, f64, hessenberg, "members,vectors,vectors")
TOTAL(K(gmres_dots_), GMRES_DOTS, sum, GMRES_AT_ONCE, live[m] && from <= steps[m])
{
  const i32 rest = steps[member[i]] + 1 - from;
  for (i32 j = 0; j < GMRES_AT_ONCE && j < rest; j++) {
    const f32 *v = V + B * (rows * (from + j) + i);
    for (i32 k = 0; k < B; k++) s[j] += (f64)w[B * i + k] * (f64)v[k];
  }
}
OF_MEMBER(K(gmres_dots_), GMRES_DOTS)
{
  f64 *column = hessenberg + vectors * (vectors * m + steps[m]);
  for (i32 j = from; j < from + GMRES_AT_ONCE && j <= steps[m]; j++) {
    dots[vectors * m + j] = s[j - from];
    column[j]             = (again ? column[j] : 0) + s[j - from];
  }
}

/* w -= sum of dots_j V_j. */
#define GMRES_TAKE(F)                     \
  GMRES_VECTORS(F)                        \
  F(in, f64, dots, "members,vectors")     \
  F(in, f32, V, "vectors+1,rows," STR(B)) \
  F(rw, f32, w, "rows," STR(B))
LANES(K(gmres_take_), GMRES_TAKE, indirect, B)
{
  const i32 m = member[i];
  if (!live[m]) return;
  EACH_LANE(k, B)
  {
    f64 left = (f64)w[k];
    for (i32 j = 0; j <= steps[m]; j++) left -= dots[vectors * m + j] * (f64)V[B * n * j + k];
    w[k] = (f32)left;
  }
}

/* The column is turned by the rotations before it and by its own: a vector more, and who goes on. */
#define GMRES_TURN(F)                               \
  F(in, f32, w, "rows," STR(B))                     \
  TOTALS(F, "rows")                                 \
  F(upd, f64, parts, "groups,1")                    \
  F(size, i32, vectors, "vectors")                  \
  F(in, f64, tolerance, "members")                  \
  F(in, f64, start, "members")                      \
  F(rw, i32, live, "members")                       \
  F(rw, i32, steps, "members")                      \
  F(rw, i32, status, "members")                     \
  F(rw, f64, norm, "members")                       \
  F(rw, f64, left, "members")                       \
  F(rw, f64, hessenberg, "members,vectors,vectors") \
  F(rw, f64, rotations, "members,vectors,2")        \
  F(rw, f64, side, "members,vectors+1")
TOTAL(K(gmres_turn_), GMRES_TURN, sum, 1, live[m])
{
  for (i32 k = B * i; k < B * (i + 1); k++) s[0] += (f64)w[k] * (f64)w[k];
}
OF_MEMBER(K(gmres_turn_), GMRES_TURN)
{
  const i32 k      = steps[m];
  const f64 low    = sqrt(s[0]);
  f64      *column = hessenberg + vectors * (vectors * m + k), *turn = rotations + 2 * vectors * m;
  f64      *g = side + (vectors + 1) * m + k;
  for (i32 j = 0; j < k; j++) {
    const f64 c = turn[2 * j], t = turn[2 * j + 1], up = column[j];
    column[j]     = c * up + t * column[j + 1];
    column[j + 1] = c * column[j + 1] - t * up;
  }
  const f64 size = sqrt(column[k] * column[k] + s[0]);
  if (!(size > 0 && size < (f64)1e150)) { /* singular, or no number: the vectors before are what there is */
    live[m] = 0, status[m] = 2;
    return;
  }
  const f64 c = column[k] / size, t = low / size;
  turn[2 * k] = c, turn[2 * k + 1] = t, column[k] = size;
  g[1]     = -t * g[0];
  g[0]     = c * g[0];
  norm[m]  = low;
  left[m]  = fabs(g[1]) / start[m];
  steps[m] = k + 1;
  if (left[m] <= tolerance[m]) status[m] = 1;
  if (left[m] <= tolerance[m] || k + 1 == vectors || !(low > 0)) live[m] = 0;
}

/* x = sum of y_j X_j, 0 without a vector: X is Z, or V where M is the same in every application, which the caller
 * then makes of x.                                                                                */
#define GMRES_SUM(F)                      \
  GMRES_VECTORS(F)                        \
  F(in, f64, dots, "members,vectors")     \
  F(in, f32, X, "vectors+1,rows," STR(B)) \
  F(rw, f32, x, "rows," STR(B))
LANES(K(gmres_sum_), GMRES_SUM, indirect, B)
{
  const i32 m = member[i];
  if (!live[m]) return;
  EACH_LANE(k, B)
  {
    f64 sum = 0;
    for (i32 j = 0; j < steps[m]; j++) sum += dots[vectors * m + j] * (f64)X[B * n * j + k];
    x[k] = (f32)sum;
  }
}
