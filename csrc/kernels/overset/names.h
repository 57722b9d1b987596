/* names.h - status of a node where parts lie over one another (docs/overset.md): overset/status.h finds it,
 * linear/composite.h and overset/exchange.h solve by it.  Python: python/kinemesh/overset/status.py. */

enum overset_status {
  COVERED  = 0,  /* hidden, with values from another part */
  FIELD    = 1,  /* solved for */
  RECEPTOR = -1, /* beside the field, with values from another part */
  SOLID    = -2, /* without fluid */
};

#define OVERSET_ROOM 6 /* code of a fault, behind those of status.h: no room for rows beside holes */
