/* shape.c - see shape.h. */
#include "shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parse_shape(const char *text, shape *s)
{
  memset(s, 0, sizeof *s);
  size_t head = strcspn(text, ">");
  for (size_t at = 0; at < head && s->axes < MAX_AXES; s->axes++) {
    const size_t len = strcspn(text + at, ",>"), word = strcspn(text + at, "+,>");
    axis        *a = &s->axis[s->axes];
    char        *end;
    a->plus = strtol(text + at, &end, 10);
    if (end == text + at) {
      snprintf(a->name, WORD, "%.*s", (int)word, text + at);
      a->plus = word < len ? strtol(text + at + word, NULL, 10) : 0;
    }
    at += len + (text[at + len] == ',');
  }
  const char *to = text + head;
  if (!*to) return;
  s->offsets = to[1] == '>';
  to += 1 + s->offsets;
  snprintf(s->target, WORD, "%.*s", (int)strcspn(to, "?!"), to);
  s->optional = strchr(to, '?') != NULL;
  s->unique   = strchr(to, '!') != NULL;
}

extent *find_set(sets *known, const char *name)
{
  for (int i = 0; i < known->count; i++)
    if (!strcmp(known->extent[i].name, name)) return &known->extent[i];
  return NULL;
}
