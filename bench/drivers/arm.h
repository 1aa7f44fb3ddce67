/* What every driver agrees on: a serial arm of revolute joints as numbers, and one signature for all functions.
 *
 *   void *make(const struct joint *joints, int count, const char *file);     one arm, kept for ever
 *   void inverse_dynamics(void *arm, const double *q, const double *v, const double *a, double *out);   … and so on
 *
 * A joint turns about z of its own frame. `file` is a MuJoCo model of the same arm; only that driver reads it.
 */
#ifndef ARM_H
#define ARM_H

struct joint {
    double R[9], p[3];   /* its frame seen from the one before, row-major */
    double m, c[3];      /* mass and centre of mass of the link, in the joint's frame */
    double I[6];         /* xx xy xz yy yz zz about the centre of mass */
};

#endif
