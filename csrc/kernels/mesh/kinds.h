/* kinds.h - the kinds of cells in space, told by the number of their corners, which are in VTK's order: their
 * faces, counter-clockwise seen from outside, and their edges with the faces at them.  The same as in
 * python/kinemesh/mesh/kinds.py, which numbers the edges of cells.                                */

/* Tables of a kind.  Rows of `edge`: first and second corner, the face that runs through it forwards, the other. */
#define KIND_EDGES 12
#define KIND_FACES 6
struct kind {
  signed char edge[KIND_EDGES][4], face[KIND_FACES][4]; /* the last corner of a triangle is -1 */
  signed char edges, faces;
};

HD const struct kind *kind_of(i32 corners)
{
  static const struct kind tetrahedron = {
      {{0, 1, 1, 0}, {1, 2, 2, 0}, {2, 0, 3, 0}, {0, 3, 3, 1}, {1, 3, 1, 2}, {2, 3, 2, 3}},
      {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}},
      6,
      4};
  static const struct kind pyramid = {
      {{0, 1, 1, 0}, {1, 2, 2, 0}, {2, 3, 3, 0}, {3, 0, 4, 0}, {0, 4, 4, 1}, {1, 4, 1, 2}, {2, 4, 2, 3}, {3, 4, 3, 4}},
      {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}},
      8,
      5};
  static const struct kind prism      = {{{0, 1, 2, 0},
                                          {1, 2, 3, 0},
                                          {2, 0, 4, 0},
                                          {3, 4, 1, 2},
                                          {4, 5, 1, 3},
                                          {5, 3, 1, 4},
                                          {0, 3, 4, 2},
                                          {1, 4, 2, 3},
                                          {2, 5, 3, 4}},
                                         {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
                                         9,
                                         5};
  static const struct kind hexahedron = {
      {{0, 1, 2, 0},
       {1, 2, 3, 0},
       {2, 3, 4, 0},
       {3, 0, 5, 0},
       {4, 5, 1, 2},
       {5, 6, 1, 3},
       {6, 7, 1, 4},
       {7, 4, 1, 5},
       {0, 4, 5, 2},
       {1, 5, 2, 3},
       {2, 6, 3, 4},
       {3, 7, 4, 5}},
      {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
      12,
      6};
  return corners == 4 ? &tetrahedron : corners == 5 ? &pyramid : corners == 6 ? &prism : &hexahedron;
}
