/* columns.h - columns of blocks, and those of the matrix of Roe's flux (theory eq. 2.9): dF/du_l is added to the
 * diagonal's, dF/du_r is that of a neighbour; once per dimension.  A lane of a device has one column of each
 * (roe_jacobian).  A host has all, as vectors, each the sum of an entry on the diagonal and of numbers times (1, v, H) and (0, S, V_n) of a side
 * and (1, v, H) and (0, n, V_n) of the average (a matrix of 20 thousand nodes, one core: 5.4 ms in place of 8.6 in
 * the plane, 19 in place of 28 of tetrahedra).                                                   */
#undef AVERAGES
#ifdef __CUDACC__
typedef real N(column)[NV];
#define AVERAGES 1 /* that a row works out before their blocks */
#else
#undef ROOM
#undef COLUMN
#if DIM == 2
#define ROOM            4 /* numbers of a vector, of which NV are a column's */
#define COLUMN(a, v, b) ((N(column)){a, (v)[0], (v)[1], b})
#else
#define ROOM            8
#define COLUMN(a, v, b) ((N(column)){a, (v)[0], (v)[1], (v)[2], b})
#endif
#define AVERAGES 8 /* as the divisions of one wait for each other */
typedef real N(column) __attribute__((vector_size(ROOM * sizeof(real))));

HD void N(roe_blocks)(const struct N(roe_average) m, const real *l, const real *r, const real *S, real w,
                      i32 lane UNUSED, real *to, N(column) d[])
{
  const real half = R(0.5), g = half * (GAMMA - R(1)), vl = N(vec_dot)(l + VELOCITY, S),
             vr    = N(vec_dot)(r + VELOCITY, S);
  const real own_l = half * (vl - w + m.slow), own_r = half * (vr - w - m.slow);
  /* columns, and rows of halves: of the flux of mass less V_n drho, and of the pressure */
  const N(column) one_l = COLUMN(R(1), l + VELOCITY, m.left), two_l = COLUMN(R(0), S, vl);
  const N(column) one_r = COLUMN(R(1), r + VELOCITY, m.right), two_r = COLUMN(R(0), S, vr);
  const N(column) one = COLUMN(R(1), m.v, m.H), two = COLUMN(R(0), m.n, m.vn);
  const N(column) mass_l = half * COLUMN(-vl, S, R(0)), mass_r = half * COLUMN(-vr, S, R(0));
  const N(column) p_l = -g * COLUMN(-half * N(vec_dot)(l + VELOCITY, l + VELOCITY), l + VELOCITY, R(-1));
  const N(column) p_r = -g * COLUMN(-half * N(vec_dot)(r + VELOCITY, r + VELOCITY), r + VELOCITY, R(-1));
  const N(column) dp  = -g * m.per * COLUMN(-half * N(vec_dot)(m.v, m.v), m.v, R(-1));
  const N(column) mn  = half * COLUMN(-m.vn, m.n, R(0));
  const N(column) c = (m.pull * dp + m.half * mn) * m.per, b = m.push * mn + m.half * dp;
  for (i32 j = 0; j < NV; j++) {
    N(column) unit        = {0};
    unit[j]               = 1;
    const N(column) waves = c[j] * one + b[j] * two;
    const N(column) right = own_r * unit + mass_r[j] * one_r + p_r[j] * two_r - waves;
    d[j] += own_l * unit + mass_l[j] * one_l + p_l[j] * two_l + waves;
    memcpy(to + NV * j, &right, (j + 1 < NV ? ROOM : NV) * sizeof *to); /* the next column covers what is beyond */
  }
}
#endif
