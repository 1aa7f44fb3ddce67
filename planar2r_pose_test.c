/* Self-test of planar2r_pose: 3 states, true values computed with 40 digits.
 * Passes when every |computed - true| <= 1e-09 * (1 + |true|), or 0.001 in single precision.
 * Exit status 0 or 1.
 */
#include "planar2r_pose.h"

#include <math.h>
#include <stdio.h>

static const double given_q[3][2] = {
    { 0.416, 0.699 },
    { 1.401, 0.255 },
    { 0.905, -0.147 }
};
static const double given_p[3][2] = {
    { 0.352, 0.901 },
    { 0.659, 0.423 },
    { 0.156, 0.444 }
};

static const double true_T[3][16] = {
    { 0.44017748371629306, -0.8979107877897405, 0.0, 0.7185787737501895, 0.8979107877897405,
      0.44017748371629306, 0.0, 0.9512625252240023, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0 },
    { -0.08510061891865507, -0.9963723624527437, 0.0, 0.07536131810067159, 0.9963723624527437,
      -0.08510061891865507, 0.0, 1.0709885650027502, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0 },
    { 0.7262124030410263, -0.6874703962130865, 0.0, 0.4187972574198263, 0.6874703962130865,
      0.7262124030410263, 0.0, 0.42791918009122754, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0 }
};

static const double tolerance = (sizeof(manipula_real) < sizeof(double)) ? 0.001 : 1e-09;
static double worst = 0.0;

/* how many values are wrong; the worst error seen so far is kept */
static int wrong(const char *name, int state, const manipula_real *got, int step, const double *want, int size)
{
    int count = 0;
    int i;

    for (i = 0; i < size; i++) {
        const double value = (double)got[i * step];
        const double error = fabs(value - want[i]) / (1.0 + fabs(want[i]));
        const int both_nan = (value != value) && (want[i] != want[i]);

        if (error > worst) {
            worst = error;
        }
        if (!(error <= tolerance) && !both_nan && (value != want[i])) {
            (void)printf("state %d: %s entry %d is %.17g, not %.17g\n", state + 1, name, i, value, want[i]);
            count++;
        }
    }
    return count;
}

static void copy(const double *from, manipula_real *to, int step, int size)
{
    int i;

    for (i = 0; i < size; i++) {
        to[i * step] = (manipula_real)from[i];
    }
}

static void widen(const manipula_real *from, double *to, int size)
{
    int i;

    for (i = 0; i < size; i++) {
        to[i] = (double)from[i];
    }
}

int main(void)
{
    static manipula_real in_q[2];
    static manipula_real all_q[2 * 3];
    static manipula_real in_p[2];
    static manipula_real got_T[4][4];
    static manipula_real all_T[16 * 3];
    static double want_T[16];
    static manipula_real k[2];
    int failures = 0;
    int s;

    for (s = 0; s < 3; s++) {
        copy(given_q[s], in_q, 1, 2);
        copy(given_p[s], in_p, 1, 2);
        if (planar2r_pose_prepare(in_p, k) != 0) {
            (void)printf("state %d: the parameters break a condition\n", s + 1);
            failures++;
        }
        planar2r_pose(in_q, k, got_T);
        failures += wrong("T", s, &got_T[0][0], 1, true_T[s], 16);
    }

    /* the batch function: a state a lane, the parameters of the last state */
    for (s = 0; s < 3; s++) {
        copy(given_q[s], &all_q[s], 3, 2);
    }
    planar2r_pose_batch(3, all_q, k, all_T);
    for (s = 0; s < 3; s++) {
        copy(given_q[s], in_q, 1, 2);
        planar2r_pose(in_q, k, got_T);
        widen(&got_T[0][0], want_T, 16);
        failures += wrong("T of a batch", s, &all_T[s], 3, want_T, 16);
    }
    (void)printf("planar2r_pose: %s, 3 states, worst error %.1e\n", (failures == 0) ? "passed" : "FAILED", worst);
    return (failures == 0) ? 0 : 1;
}
