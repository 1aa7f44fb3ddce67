/* MuJoCo's own loop in C: computed torque along a quintic, contacts and constraints switched off.
 *
 * The law uses the pipeline's kinematics: `mj_rne` between `mj_step1` and `mj_step2` (Euler), or the control callback in
 * every stage (RK4). The model that it inverts is that of the plant: a law with another model would need a second pass.
 */
#include <mujoco/mujoco.h>
#include <stddef.h>
#include <string.h>

static mjModel *m;
static mjData *d;
static const double *start, *way;
static double duration, kp, kd;

int open_arm(const char *file, int integrator, double step) {
    char error[500];
    if (d) mj_deleteData(d);
    if (m) mj_deleteModel(m);
    d = NULL;
    m = mj_loadXML(file, NULL, error, sizeof error);
    if (!m) return 1;
    m->opt.integrator = integrator;
    m->opt.timestep = step;
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_LIMIT | mjDSBL_SENSOR | mjDSBL_EULERDAMP;
    d = mj_makeData(m);
    return 0;
}

static void law(const mjModel *model, mjData *data) {
    double x = data->time / duration, s, sd, sdd, tau[64];
    if (x >= 1) x = 1;
    s = x * x * x * (10 + x * (6 * x - 15));
    sd = 30 * x * x * (1 - x) * (1 - x) / duration;
    sdd = 60 * x * (1 - x) * (1 - 2 * x) / (duration * duration);
    for (int i = 0; i < model->nv; ++i) {
        double e = start[i] + way[i] * s - data->qpos[i], ed = way[i] * sd - data->qvel[i];
        data->qacc[i] = way[i] * sdd + kd * ed + kp * e;
    }
    mj_rne(model, data, 1, tau);
    memcpy(data->qfrc_applied, tau, model->nv * sizeof *tau);
}

/* driven: 0 free, 1 the law once a step, 2 in every stage; q and v go in and come out */
void go(int driven, long steps, double T, double p, double v_gain, const double *from, const double *by, double *q,
        double *v) {
    mj_resetData(m, d);
    start = from, way = by, duration = T, kp = p, kd = v_gain;
    memcpy(d->qpos, q, m->nq * sizeof *q);
    memcpy(d->qvel, v, m->nv * sizeof *v);
    mjcb_control = driven == 2 ? law : NULL;
    for (long k = 0; k < steps; ++k) {
        if (driven == 1) {
            mj_step1(m, d);
            law(m, d);
            mj_step2(m, d);
        } else {
            mj_step(m, d);
        }
    }
    mjcb_control = NULL;
    memcpy(q, d->qpos, m->nq * sizeof *q);
    memcpy(v, d->qvel, m->nv * sizeof *v);
}
