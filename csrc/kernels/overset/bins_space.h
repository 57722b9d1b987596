/* bins_space.h - the bins of grids that cells in space meet (docs/overset.md, python/kinemesh/overset/bins_space.py),
 * on the host.  A cell meets the bins that one of its tetrahedra does: those of its box that no face has all of
 * outside.                                                                                         */

/* A grid: least place, bins per chord and bins along each axis. */
struct bin_grid {
  const f64 *low, *scale;
  const i32 *across;
};

/* A tetrahedron in bins of a grid: its box, the bins of this, and of each face how far outside of it that corner of
 * the first bin is that is farthest within, and what a bin on along an axis adds. */
struct bin_solid {
  i32 start[3], end[3];
  f64 out[4], per[4][3];
};

/* Sets s; 0 where no bin of the grid is in the box. */
HD i32 bin_solid_of(const f64 *x, const i32 *corner, struct bin_grid g, struct bin_solid *s)
{
  f64 c[4][3];
  for (i32 v = 0; v < 4; v++)
    for (i32 k = 0; k < 3; k++) c[v][k] = (x[3 * corner[v] + k] - g.low[k]) * g.scale[k];
  for (i32 k = 0; k < 3; k++) {
    f64 low = c[0][k], high = c[0][k];
    for (i32 v = 1; v < 4; v++) bin_range(c[v][k], &low, &high);
    if (high < -BIN_MARGIN || low > g.across[k] + BIN_MARGIN) return 0;
    s->start[k] = bin_at(low - BIN_MARGIN, g.across[k] - 1), s->end[k] = bin_at(high + BIN_MARGIN, g.across[k] - 1);
  }
  const i32 face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}; /* counter-clockwise seen from outside */
  for (i32 f = 0; f < 4; f++) {
    const f64 *o = c[face[f][0]], *a = c[face[f][1]], *b = c[face[f][2]];
    f64       *n = s->per[f];
    for (i32 k = 0; k < 3; k++) {
      const i32 l = (k + 1) % 3, m = (k + 2) % 3;
      n[k] = (a[l] - o[l]) * (b[m] - o[m]) - (a[m] - o[m]) * (b[l] - o[l]);
    }
    s->out[f] = 0;
    for (i32 k = 0; k < 3; k++) s->out[f] += n[k] * (s->start[k] + (n[k] < 0 ? 1 + BIN_MARGIN : -BIN_MARGIN) - o[k]);
  }
  return 1;
}

HD i32 bin_solid_meets(const struct bin_solid *s, const i32 *bin)
{
  for (i32 k = 0; k < 3; k++)
    if (bin[k] < s->start[k] || bin[k] > s->end[k]) return 0;
  for (i32 f = 0; f < 4; f++) {
    f64 out = s->out[f];
    for (i32 k = 0; k < 3; k++) out += s->per[f][k] * (bin[k] - s->start[k]);
    if (out > 0) return 0;
  }
  return 1;
}

#define BIN_PARTS 6 /* tetrahedra of a cell, at most */

/* Number of bins of a grid that a cell meets; the numbers of the first `room` go to key. */
HD i32 bins_of_solid(const f64 *x, const i32 *corner, i32 count, struct bin_grid g, i32 first, i32 room, i32 *key)
{
  struct bin_solid part[BIN_PARTS];
  i32              parts = 0, n = 0, start[3] = {g.across[0], g.across[1], g.across[2]}, end[3] = {-1, -1, -1}, at[3];
  for (i32 t = 0; t < count && parts < BIN_PARTS; t++) {
    if (!bin_solid_of(x, corner + 4 * t, g, part + parts)) continue;
    for (i32 k = 0; k < 3; k++) {
      start[k] = part[parts].start[k] < start[k] ? part[parts].start[k] : start[k];
      end[k]   = part[parts].end[k] > end[k] ? part[parts].end[k] : end[k];
    }
    parts++;
  }
  for (at[2] = start[2]; at[2] <= end[2]; at[2]++)
    for (at[1] = start[1]; at[1] <= end[1]; at[1]++)
      for (at[0] = start[0]; at[0] <= end[0]; at[0]++) {
        i32 meets = 0;
        for (i32 t = 0; t < parts && !meets; t++) meets = bin_solid_meets(part + t, at);
        if (!meets) continue;
        if (n < room) key[n] = first + bin_number_3d(at, g.across);
        n++;
      }
  return n;
}

/* How many bins each entry, a cell in a grid, meets. */
#define OVERSET_GRIDS_3D(F)                 \
  F(near, f64, x, "nodes,3")                \
  F(in, i32, parts, "solids+1>>tetrahedra") \
  F(in, i32, corner, "tetrahedra,4>nodes")  \
  F(in, i32, cell, "visits>solids")         \
  F(in, i32, grid, "visits>grids")          \
  F(in, f64, low, "grids,3")                \
  F(in, f64, scale, "grids,3")              \
  F(in, i32, across, "grids,3")
#define OVERSET_MET_3D(F) \
  OVERSET_GRIDS_3D(F)     \
  F(out, i32, met, "visits")
HD i32 overset_meets(i32 i, i32 first, i32 room, i32 *key OVERSET_GRIDS_3D(PARAM))
{
  const i32             g = grid[i], c = cell[i];
  const struct bin_grid own = {low + 3 * g, scale + 3 * g, across + 3 * g};
  return bins_of_solid(x, corner + 4 * parts[c], parts[c + 1] - parts[c], own, first, room, key);
}
KERNEL(overset_met_3d, OVERSET_MET_3D, heavy)
{
  met[i] = overset_meets(i, 0, 0, 0 OVERSET_GRIDS_3D(NAME));
}

/* The bins that each entry meets. */
#define OVERSET_BINS_3D(F)                                         \
  OVERSET_GRIDS_3D(F)                                              \
  F(in, i32, first, "grids") /* number of the first bin of each */ \
  F(in, i32, begin, "visits+1>>meetings")                          \
  F(upd, i32, entry, "meetings")                                   \
  F(upd, i32, key, "meetings")
KERNEL(overset_bins_3d, OVERSET_BINS_3D, heavy)
{
  for (i32 pair = begin[i]; pair < begin[i + 1]; pair++) entry[pair] = i;
  overset_meets(i, first[grid[i]], begin[i + 1] - begin[i], key + begin[i] OVERSET_GRIDS_3D(NAME));
}
