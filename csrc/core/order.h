/* order.h - the order of a graph's kernels, from the fields that each declares: a kernel waits for those
 * that wrote what it reads or writes, and for those that read what it writes.  Kernels that share nothing,
 * such as sweeps of two matrices, run side by side.                                              */
#pragma once
#include "device.h"

#include <string.h>

#define MOST_NODES 1024 /* of a stretch; the next one waits for all of it */
#define MOST_SPANS 512  /* pieces of memory that it knows of */
#define NODE_WORDS (MOST_NODES / 64)

struct node_set {
  u64 word[NODE_WORDS];
};

static inline void set_add(struct node_set *set, int node)
{
  set->word[node / 64] |= (u64)1 << node % 64;
}

static inline int set_has(const struct node_set *set, int node)
{
  return (int)(set->word[node / 64] >> node % 64 & 1);
}

static inline void set_join(struct node_set *set, const struct node_set *other)
{
  for (int i = 0; i < NODE_WORDS; i++) set->word[i] |= other->word[i];
}

/* Use of one piece of memory: the node that wrote it last, or -1, and those that have read it since. */
struct use_of {
  const char     *from, *to;
  int             writer;
  struct node_set readers;
};

/* A stretch of nodes, numbered as they come. */
struct order {
  int             nodes, spans;
  struct node_set before[MOST_NODES]; /* all that a node waits for, directly or not */
  struct node_set last;               /* those that no other one waits for */
  struct use_of   use[MOST_SPANS];
};

/* Can the stretch take a node with so many more pieces of memory? */
static inline int order_full(const struct order *o, int spans)
{
  return o->nodes == MOST_NODES || o->spans + spans > MOST_SPANS;
}

static inline void order_clear(struct order *o)
{
  o->nodes = o->spans = 0;
  memset(&o->last, 0, sizeof o->last);
}

static inline struct use_of *order_find(struct order *o, const struct span *span)
{
  for (int i = 0; i < o->spans; i++)
    if (o->use[i].from == span->from && o->use[i].to == span->to) return &o->use[i];
  struct use_of *added = &o->use[o->spans++];
  memset(added, 0, sizeof *added);
  added->from = span->from, added->to = span->to, added->writer = -1;
  return added;
}

/* Adds a node; in `waits` the numbers of those that it waits for, none of which waits for another of them. */
static inline int order_add(struct order *o, const struct span *span, int spans, int *waits)
{
  struct node_set wanted = {{0}};
  const int       node   = o->nodes++;
  int             count  = 0;
  for (int s = 0; s < spans; s++)
    for (int i = 0; i < o->spans; i++) {
      const struct use_of *u = &o->use[i];
      if (u->from >= span[s].to || span[s].from >= u->to) continue;
      if (u->writer >= 0) set_add(&wanted, u->writer);
      if (span[s].written) set_join(&wanted, &u->readers);
    }
  struct node_set *before = &o->before[node];
  memset(before, 0, sizeof *before);
  for (int other = node - 1; other >= 0; other--) {
    if (!set_has(&wanted, other) || set_has(before, other)) continue;
    waits[count++] = other;
    set_add(before, other);
    set_join(before, &o->before[other]);
  }
  for (int i = 0; i < NODE_WORDS; i++) o->last.word[i] &= ~before->word[i];
  set_add(&o->last, node);
  for (int s = 0; s < spans; s++) {
    struct use_of *u = order_find(o, &span[s]);
    if (span[s].written)
      u->writer = node; /* those that have read before it are before it */
    else
      set_add(&u->readers, node);
  }
  return count;
}
