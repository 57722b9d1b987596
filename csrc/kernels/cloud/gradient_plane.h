/* gradient_plane.h - gradients on clouds in the plane: those of mesh/gradient.h, with and without limit,
 * with the weights of clouds (docs/meshless.md, eq. M.1).  Units of gas.h per chord.               */

#define CLOUD_GRADIENT(F)      ALE_GRADIENT(F) F(val, i32, squared, "")
#define CLOUD_GRADIENT_WANG(F) ALE_GRADIENT_WANG(F) F(val, i32, squared, "")
LANES(N(cloud_gradient), CLOUD_GRADIENT, busy, SPLIT)
{
  if (!active[member[i]]) return;
  struct N(slope) s;
  N(node_gradient)(i, lane, x, offsets, neighbour, inverse, q, squared, &s);
  N(node_put)(i, lane, &s, grad);
}
LANES(N(cloud_gradient_wang), CLOUD_GRADIENT_WANG, busy, SPLIT)
{
  if (!active[member[i]]) return;
  real eps2[MINE];
  struct N(slope) s;
  N(wang_threshold)(range, member[i], lane, K, eps2);
  N(node_gradient)(i, lane, x, offsets, neighbour, inverse, q, squared, &s);
  N(node_limit)(i, x, offsets, neighbour, 0, 0, eps2, &s);
  N(node_put)(i, lane, &s, grad);
}
