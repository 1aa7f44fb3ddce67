/* Instructions per call, under callgrind: count LIBRARY FILE N NUMBERS FUNCTION...
 *
 * LIBRARY has the functions of arm.h; NUMBERS is a file of 22·N doubles. Every function is called on the same random
 * states, first unseen; then each batch of counted calls is dumped under the function's name.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#include "arm.h"

enum { STATES = 64, MOST = 64 };
typedef void *(*maker)(const struct joint *, int, const char *);
typedef void (*function)(void *, const double *, const double *, const double *, double *);

static double states[3][STATES][MOST], out[1 << 16];

static void all(function f, void *arm) {
    for (int k = 0; k < STATES; ++k) f(arm, states[0][k], states[1][k], states[2][k], out);
}

int main(int count, char **words) {
    static struct joint joints[MOST];
    const int n = atoi(words[3]);
    void *library = dlopen(words[1], RTLD_NOW);
    FILE *numbers = fopen(words[4], "rb");
    if (!library || !numbers || fread(joints, sizeof *joints, n, numbers) != (size_t)n) {
        fprintf(stderr, "%s\n", library ? "no numbers" : dlerror());
        return 1;
    }
    srand(1);
    for (double *x = &states[0][0][0]; x < &states[0][0][0] + sizeof states / sizeof *x; ++x)
        *x = 6.0 * rand() / RAND_MAX - 3.0;
    maker make = (maker)dlsym(library, "make");
    void *arm = make ? make(joints, n, words[2]) : NULL;
    for (int i = 5; i < count; ++i) {
        function f = (function)dlsym(library, words[i]);
        if (!f) continue;
        all(f, arm);
        CALLGRIND_ZERO_STATS;
        all(f, arm);
        CALLGRIND_DUMP_STATS_AT(words[i]);
    }
    return 0;
}
