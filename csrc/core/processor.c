/* processor.c - compiled for any x86-64, so that it runs where the kernels would end in SIGILL. */
#include "processor.h"

#include <string.h>

#ifdef __x86_64__
#define HAS(s) s, " " s " ", __builtin_cpu_supports(s) != 0

/* A name of gcc's that the processor lacks, of those in `needs`; NULL where it has them all. */
static const char *lacking(const char *needs)
{
  __builtin_cpu_init();
  const struct {
    const char *name, *word; /* alone, and between spaces */
    int         there;
  } known[] = {
      {HAS("sse4.2")},       {HAS("avx")},         {HAS("avx2")},
      {HAS("fma")},          {HAS("bmi")},         {HAS("bmi2")},
      {HAS("avx512f")},      {HAS("avx512dq")},    {HAS("avx512cd")},
      {HAS("avx512bw")},     {HAS("avx512vl")},    {HAS("avx512ifma")},
      {HAS("avx512vbmi")},   {HAS("avx512vbmi2")}, {HAS("avx512vnni")},
      {HAS("avx512bitalg")}, {HAS("avx512bf16")},  {HAS("avx512vpopcntdq")},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!known[i].there && strstr(needs, known[i].word)) return known[i].name;
  return NULL;
}
#else
static const char *lacking(const char *needs)
{
  (void)needs;
  return NULL;
}
#endif

int processor_check(PyObject *module, const char *needs)
{
  const char *name = lacking(needs);
  if (!name) return 0;
  PyObject *told = PyUnicode_FromFormat(
      "this build of kinemesh is for processors that have%sand the one here has no "
      "%s; build it here from its source, with pip install . in a clone",
      needs, name);
  PyObject *of = PyUnicode_FromString(PyModule_GetName(module));
  if (told && of) PyErr_SetImportError(told, of, NULL);
  Py_XDECREF(told), Py_XDECREF(of);
  return -1;
}
