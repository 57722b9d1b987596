/* layers.h - slopes across thin layers that curve by more than their thickness count by a share (docs/theory.md, eq.
 * 2.3a), as meshes move.  A layer is a node of one with its neighbours; what they are is worked out once, by
 * mesh/geometry/curved.py.  In float64 in both precisions.                                       */

#ifndef LAYER_ALIKE
/* Python reads these three. */
#define LAYER_ALIKE  0.8 /* least cosine between ways along a layer that are of one direction */
#define LAYER_NEARLY 0.5 /* least curve over the thickness that spreads */
#define LAYER_ALONG  0.9 /* share of a layer's curve that the next along it has at least */

#define NO_INVERSE 1e-9 /* least over largest eigenvalue of a sum that has an inverse */
#endif

#if DIM == 2
/* Eigenvalues of a symmetric matrix, and of its largest one the eigenvector. */
HD void N(principal)(const f64 *m, f64 *value, f64 *axis)
{
  const f64 angle = 0.5 * atan2(2 * m[1], m[0] - m[2]), mean = 0.5 * (m[0] + m[2]);
  const f64 half = hypot(0.5 * (m[0] - m[2]), m[1]);
  value[0] = mean - half, value[1] = mean + half;
  axis[0] = cos(angle), axis[1] = sin(angle);
}
#else
/* Turn of rows and columns p and q of a symmetric matrix that makes its entry (p, q) zero, by Jacobi's method;
 * `turned` has the eigenvectors in its columns in the end.                                       */
HD void jacobi_turn(f64 a[3][3], f64 turned[3][3], const i32 p, const i32 q)
{
  if (a[p][q] == 0) return;
  const f64 ratio = (a[q][q] - a[p][p]) / (2 * a[p][q]), square = sqrt(1 + ratio * ratio);
  const f64 tangent = ratio < 0 ? 1 / (ratio - square) : 1 / (ratio + square);
  const f64 cosine = 1 / sqrt(1 + tangent * tangent), sine = tangent * cosine, off = a[p][q];
  const i32 other = 3 - p - q;
  const f64 op = a[other][p], oq = a[other][q];
  a[p][p] -= tangent * off, a[q][q] += tangent * off, a[p][q] = a[q][p] = 0;
  a[other][p] = a[p][other] = cosine * op - sine * oq;
  a[other][q] = a[q][other] = sine * op + cosine * oq;
  for (i32 k = 0; k < 3; k++) {
    const f64 first = turned[k][p], second = turned[k][q];
    turned[k][p] = cosine * first - sine * second;
    turned[k][q] = sine * first + cosine * second;
  }
}

/* Eigenvalues of a symmetric matrix, the largest one last, and its eigenvector: eight rounds leave rounding alone, as
 * each squares what is off the diagonal once that is small.                                      */
HD void N(principal)(const f64 *m, f64 *value, f64 *axis)
{
  f64 a[3][3]      = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
  f64 turned[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (i32 round = 0; round < 8; round++) {
    jacobi_turn(a, turned, 0, 1);
    jacobi_turn(a, turned, 0, 2);
    jacobi_turn(a, turned, 1, 2);
  }
  i32 largest = 0, least = 0;
  for (i32 k = 1; k < 3; k++) {
    if (a[k][k] >= a[largest][largest]) largest = k;
    if (a[k][k] < a[least][least]) least = k;
  }
  value[0] = a[least][least], value[2] = a[largest][largest];
  value[1] = a[0][0] + a[1][1] + a[2][2] - value[0] - value[2];
  for (i32 k = 0; k < 3; k++) axis[k] = turned[k][largest];
}
#endif

/* The way d from a layer's node to its neighbour of pair e; the square of its length. */
HD f64 N(layer_way)(const f64 *x, i32 here, i32 there, f64 *d)
{
  f64 square = 0;
  for (i32 k = 0; k < DIM; k++) {
    d[k] = x[DIM * there + k] - x[DIM * here + k];
    square += d[k] * d[k];
  }
  return square;
}

/* The way along the layer as a unit vector, and how far d leads off it. */
HD f64 N(layer_level)(const f64 *across, const f64 *d, f64 *unit)
{
  f64 off = 0, square = 0;
  for (i32 k = 0; k < DIM; k++) off += across[k] * d[k];
  for (i32 k = 0; k < DIM; k++) {
    unit[k] = d[k] - off * across[k];
    square += unit[k] * unit[k];
  }
  const f64 size = square > 0 ? sqrt(square) : 1;
  for (i32 k = 0; k < DIM; k++) unit[k] /= size;
  return off;
}

#define LAYERS(F)                      \
  F(near, f64, x, "nodes," STR(DIM))   \
  F(in, i32, node, "layers>nodes!")    \
  F(in, i32, pairs, "layers+1>>pairs") \
  F(in, i32, neighbour, "pairs>nodes") \
  F(in, i32, along, "pairs") /* the layer */

/* Which way leads across each layer, by the edges up and down, and how far it curves over its thickness: along each
 * direction by the mean of what neighbours that way and the other lie off the plane that touches it; the largest. */
#define LAYER_CURVES(F)                   \
  LAYERS(F)                               \
  F(out, f64, across, "layers," STR(DIM)) \
  F(out, f64, curve, "layers")            \
  F(rw, i32, spreading, "1") /* not 0: `layer_spread` is to be */
KERNEL(N(layer_curves), LAYER_CURVES, heavy)
{
  f64 sum[NS], value[DIM], d[DIM], unit[DIM], other[DIM], shortest = INFINITY, most = 0;
  for (i32 k = 0; k < NS; k++) sum[k] = 0;
  for (i32 e = pairs[i]; e < pairs[i + 1]; e++) {
    const f64 square = N(layer_way)(x, node[i], neighbour[e], d);
    shortest         = square < shortest ? square : shortest;
    if (along[e]) continue;
    for (i32 k = 0, at = 0; k < DIM; k++)
      for (i32 l = k; l < DIM; l++) sum[at++] += d[k] * d[l] / square;
  }
  N(principal)(sum, value, across + DIM * i);
  for (i32 e = pairs[i]; e < pairs[i + 1]; e++) {
    if (!along[e]) continue;
    N(layer_way)(x, node[i], neighbour[e], d);
    N(layer_level)(across + DIM * i, d, unit);
    f64 total = 0;
    i32 count = 0;
    for (i32 o = pairs[i]; o < pairs[i + 1]; o++) {
      if (!along[o]) continue;
      N(layer_way)(x, node[i], neighbour[o], d);
      const f64 off    = N(layer_level)(across + DIM * i, d, other);
      f64       cosine = 0;
      for (i32 k = 0; k < DIM; k++) cosine += unit[k] * other[k];
      if (!(fabs(cosine) > LAYER_ALIKE)) continue;
      total += off;
      count++;
    }
    const f64 rise = fabs(total) / (count > 1 ? count : 1);
    most           = rise > most ? rise : most;
  }
  curve[i] = most / sqrt(shortest);
  if (i == 0) spreading[0] = 1;
}

/* Curves follow the layer where its curvature changes its sign, or ends: the largest of a layer's own and those beside
 * times LAYER_ALONG.  Of two sweeps the last says whether any has grown that counts.                    */
#define LAYER_SPREAD(F)                \
  F(in, i32, pairs, "layers+1>>pairs") \
  F(in, i32, beside, "pairs>layers")   \
  F(near, f64, from, "layers")         \
  F(out, f64, to, "layers")            \
  F(rw, i32, spreading, "1")           \
  F(val, i32, last, "")
KERNEL(N(layer_spread), LAYER_SPREAD, indirect)
{
  f64 most = 0;
  for (i32 e = pairs[i]; e < pairs[i + 1]; e++) most = from[beside[e]] > most ? from[beside[e]] : most;
  const f64 own = from[i], least = own > LAYER_NEARLY ? own : LAYER_NEARLY;
  to[i] = LAYER_ALONG * most > own ? LAYER_ALONG * most : own;
  if (!last && i == 0) spreading[0] = 0;
  if (last && to[i] > least) spreading[0] = 1;
}

/* The matrix of slopes m at a node of a layer that curves by more than its thickness: that of all ways by the share,
 * and that of the plane that touches the layer; 0 where ways leave no inverse. */
HD i32 N(layer_matrix)(const f64 *x, i32 here, const i32 *neighbour, i32 first, i32 end, const f64 *normal, f64 curve,
                       f64 *m)
{
  f64 whole[NS], level[NS], row[DIM], value[DIM], axis[DIM], d[DIM];
  for (i32 k = 0; k < NS; k++) whole[k] = 0;
  for (i32 e = first; e < end; e++) {
    const f64 w = 1 / N(layer_way)(x, here, neighbour[e], d);
    N(fit_add)(w, d, whole);
  }
  /* (1 - n n^T) whole (1 - n n^T) + n n^T: the way across apart from those along */
  const f64 both = N(fit_across)(whole, normal, row);
  for (i32 k = 0, at = 0; k < DIM; k++)
    for (i32 l = k; l < DIM; l++, at++)
      level[at] = whole[at] - row[k] * normal[l] - normal[k] * row[l] + (both + 1) * normal[k] * normal[l];
  N(principal)(level, value, axis);
  if (!(value[0] > NO_INVERSE * value[DIM - 1])) return 0;
  N(principal)(whole, value, axis);
  if (!(value[0] > NO_INVERSE * value[DIM - 1])) return 0;
  f64 of_all[NS], along_it[NS];
  N(fit_inverse)(whole, of_all);
  N(fit_inverse)(level, along_it);
  const f64 share = 1 / curve;
  for (i32 k = 0, at = 0; k < DIM; k++)
    for (i32 l = k; l < DIM; l++, at++)
      m[at] = share * of_all[at] + (1 - share) * (along_it[at] - normal[k] * normal[l]);
  return 1;
}

/* Layers that curve by more than their thickness have the matrix of `layer_matrix`, but for blunt nodes and those of a
 * fold, which have none (gradient.h).                                                           */
#define LAYER_SHARES(F)                  \
  LAYERS(F)                              \
  F(in, f64, across, "layers," STR(DIM)) \
  F(in, f64, curve, "layers")            \
  F(opt, i32, fold, "nodes")             \
  BLUNT(F)                               \
  F(rw, real, inverse, "nodes," STR(NS))
KERNEL(N(layer_shares), LAYER_SHARES, heavy)
{
  const i32 here = node[i];
  f64       m[NS];
  if (!(curve[i] > 1) || !steep_at(blunt, here) || (fold && fold[here])) return;
  if (!N(layer_matrix)(x, here, neighbour, pairs[i], pairs[i + 1], across + DIM * i, curve[i], m)) return;
  for (i32 k = 0; k < NS; k++) inverse[NS * here + k] = (real)m[k];
}
