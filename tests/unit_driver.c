/* An importer of co-simulation units in one file, for any machine: it loads a library, sets, steps and prints.
 *
 *     driver LIBRARY TOKEN STEP < numbers
 *
 * On stdin: the references that are set, and how many numbers they take; those that are read, likewise; the number of
 * steps; then for the beginning and for every step what is set. On stdout a row for the beginning and for every step.
 * -DFMI=2 or -DFMI=3.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <windows.h>
#define OPEN(name) ((void *)LoadLibraryA(name))
#define FIND(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#else
#include <dlfcn.h>
#define OPEN(name) dlopen(name, RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#endif

static void check(bool good, const char *what)
{
    if (!good) {
        printf("FAILED %s\n", what);
        exit(1);
    }
}

static size_t refs(uint32_t **found)
{
    size_t count, numbers;
    check(scanf("%zu", &count) == 1, "count");
    *found = calloc(count + 1, sizeof **found);
    for (size_t i = 0; i < count; i++) {
        check(scanf("%u", &(*found)[i]) == 1, "reference");
    }
    check(scanf("%zu", &numbers) == 1, "numbers");
    (*found)[count] = (uint32_t)numbers;
    return count;
}

#if FMI == 2
static void say(void *where, const char *name, int status, const char *category, const char *text, ...)
{
    (void)where; (void)name; (void)status; (void)category;
    fprintf(stderr, "%s\n", text);
}
#else
static void say(void *where, int status, const char *category, const char *text)
{
    (void)where; (void)status; (void)category;
    fprintf(stderr, "%s\n", text);
}
#endif

int main(int count, char **words)
{
    void *library = count == 4 ? OPEN(words[1]) : NULL, *unit;
    uint32_t *in, *out;
    double step, *given, *read;
    size_t ins = refs(&in), outs = refs(&out), steps;
    check(library != NULL, "load");
    check(scanf("%zu", &steps) == 1, "steps");
    step = strtod(words[3], NULL);
    given = calloc(in[ins] + 1, sizeof *given);
    read = calloc(out[outs] + 1, sizeof *read);
#if FMI == 2
    struct { void *log, *allocate, *release, *finished, *where; } calls = { (void *)say, NULL, NULL, NULL, NULL };
    unit = ((void *(*)(const char *, int, const char *, const char *, void *, int, int))FIND(library, "fmi2Instantiate"))(
        "one", 1, words[2], NULL, &calls, 0, 0);
    check(unit != NULL, "instantiate");
    int (*set)(void *, uint32_t *, size_t, double *) = FIND(library, "fmi2SetReal");
    int (*get)(void *, uint32_t *, size_t, double *) = FIND(library, "fmi2GetReal");
    int (*go)(void *, double, double, int) = FIND(library, "fmi2DoStep");
    int (*enter)(void *) = FIND(library, "fmi2EnterInitializationMode");
    int (*leave)(void *) = FIND(library, "fmi2ExitInitializationMode");
    check(enter(unit) == 0, "initialisation");
#define SET() set(unit, in, ins, given)
#define GET() get(unit, out, outs, read)
#define GO(time) go(unit, time, step, 1)
#else
    unit = ((void *(*)(const char *, const char *, const char *, bool, bool, bool, bool, void *, size_t, void *, void *,
                       void *))FIND(library, "fmi3InstantiateCoSimulation"))(
        "one", words[2], NULL, false, false, false, false, NULL, 0, NULL, (void *)say, NULL);
    check(unit != NULL, "instantiate");
    int (*set)(void *, uint32_t *, size_t, double *, size_t) = FIND(library, "fmi3SetFloat64");
    int (*get)(void *, uint32_t *, size_t, double *, size_t) = FIND(library, "fmi3GetFloat64");
    int (*go)(void *, double, double, bool, bool *, bool *, bool *, double *) = FIND(library, "fmi3DoStep");
    int (*enter)(void *, bool, double, double, bool, double) = FIND(library, "fmi3EnterInitializationMode");
    int (*leave)(void *) = FIND(library, "fmi3ExitInitializationMode");
    bool flag;
    double last;
    check(enter(unit, false, 0, 0, false, 0) == 0, "initialisation");
#define SET() set(unit, in, ins, given, in[ins])
#define GET() get(unit, out, outs, read, out[outs])
#define GO(time) go(unit, time, step, true, &flag, &flag, &flag, &last)
#endif
    for (size_t row = 0; row <= steps; row++) {
        for (size_t i = 0; i < in[ins]; i++) {
            check(scanf("%lf", &given[i]) == 1, "number");
        }
        check(SET() == 0, "set");
        check(row ? GO((double)(row - 1) * step) == 0 : leave(unit) == 0, "step");
        check(GET() == 0, "get");
        for (size_t i = 0; i < out[outs]; i++) {
            printf("%.17g ", read[i]);
        }
        printf("\n");
    }
    return 0;
}
