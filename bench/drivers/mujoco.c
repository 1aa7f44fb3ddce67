/* MuJoCo: the stages of its pipeline that a function needs, contacts and constraints switched off. */
#include <mujoco/mujoco.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arm.h"

struct arm {
    mjModel *m;
    mjData *d;
};

void *make(const struct joint *joints, int count, const char *file) {
    char error[500];
    struct arm *arm = malloc(sizeof *arm);
    arm->m = mj_loadXML(file, NULL, error, sizeof error);
    if (!arm->m) return NULL;
    arm->m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_LIMIT | mjDSBL_SENSOR | mjDSBL_ACTUATION;
    arm->d = mj_makeData(arm->m);
    return arm;
}

static void place(struct arm *arm, const double *q) {
    memcpy(arm->d->qpos, q, arm->m->nq * sizeof *q);
    mj_kinematics(arm->m, arm->d);
}

static void move(struct arm *arm, const double *q, const double *v) {
    memcpy(arm->d->qvel, v, arm->m->nv * sizeof *v);
    place(arm, q);
    mj_comPos(arm->m, arm->d);
}

#define FUNCTION(name) void name(struct arm *arm, const double *q, const double *v, const double *a, double *out)

FUNCTION(frames) { place(arm, q); }

FUNCTION(jacobian) {
    place(arm, q);
    mj_comPos(arm->m, arm->d);
    mj_jacBody(arm->m, arm->d, out, out + 3 * arm->m->nv, arm->m->nbody - 1);
}

FUNCTION(inverse_dynamics) {
    memcpy(arm->d->qacc, a, arm->m->nv * sizeof *a);
    move(arm, q, v);
    mj_comVel(arm->m, arm->d);
    mj_rne(arm->m, arm->d, 1, out);
}

FUNCTION(inertia_matrix) {
    place(arm, q);
    mj_comPos(arm->m, arm->d);
    mj_crb(arm->m, arm->d);
}

FUNCTION(forward_dynamics) {
    double rest[256];
    move(arm, q, v);
    mj_crb(arm->m, arm->d);
    mj_factorM(arm->m, arm->d);
    mj_comVel(arm->m, arm->d);
    mj_rne(arm->m, arm->d, 0, arm->d->qfrc_bias);
    for (int i = 0; i < arm->m->nv; ++i) rest[i] = a[i] - arm->d->qfrc_bias[i];
    mj_solveM(arm->m, arm->d, out, rest, 1);
}
