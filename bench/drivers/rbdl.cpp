// RBDL: an installed library (there is no package of it in most distributions).
#include <rbdl/rbdl.h>

#include <algorithm>

#include "arm.h"

namespace rb = RigidBodyDynamics;
using rb::Math::MatrixNd;
using rb::Math::Vector3d;
using rb::Math::VectorNd;

namespace {

struct Arm {
    rb::Model model;
    unsigned last = 0;
    VectorNd q, v, a, result;
    MatrixNd J, M;
};

Arm &state(void *self, const double *q, const double *v, const double *a) {
    Arm &arm = *static_cast<Arm *>(self);
    std::copy_n(q, arm.q.size(), arm.q.data());
    std::copy_n(v, arm.v.size(), arm.v.data());
    std::copy_n(a, arm.a.size(), arm.a.data());
    return arm;
}

void give(const VectorNd &x, double *out) { std::copy_n(x.data(), x.size(), out); }

}  // namespace

#define FUNCTION(name) void name(void *self, const double *q, const double *v, const double *a, double *out)

extern "C" {

void *make(const joint *joints, int count, const char *) {
    Arm &arm = *new Arm;
    arm.model.gravity = Vector3d(0, 0, -9.81);
    for (int i = 0; i < count; ++i) {
        const joint &j = joints[i];
        const double *R = j.R, *x = j.I;
        rb::Math::Matrix3d turned, I;
        turned << R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8];  // from the frame before to this one
        I << x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5];
        const rb::Body body(j.m, Vector3d(j.c[0], j.c[1], j.c[2]), I);
        const rb::Math::SpatialTransform at(turned, Vector3d(j.p[0], j.p[1], j.p[2]));
        arm.last = arm.model.AddBody(arm.last, at, rb::Joint(rb::JointTypeRevoluteZ), body);
    }
    for (VectorNd *x : {&arm.q, &arm.v, &arm.a, &arm.result}) *x = VectorNd::Zero(count);
    arm.J = MatrixNd::Zero(6, count);
    arm.M = MatrixNd::Zero(count, count);
    return &arm;
}

FUNCTION(frames) { Arm &arm = state(self, q, v, a); rb::UpdateKinematicsCustom(arm.model, &arm.q, nullptr, nullptr); (void)out; }

FUNCTION(jacobian) {
    Arm &arm = state(self, q, v, a);
    rb::CalcPointJacobian6D(arm.model, arm.q, arm.last, Vector3d(0, 0, 0), arm.J, true);
    (void)out;
}

FUNCTION(inertia_matrix) {
    Arm &arm = state(self, q, v, a);
    arm.M.setZero();
    rb::CompositeRigidBodyAlgorithm(arm.model, arm.q, arm.M, true);
    (void)out;
}

FUNCTION(inverse_dynamics) {
    Arm &arm = state(self, q, v, a);
    rb::InverseDynamics(arm.model, arm.q, arm.v, arm.a, arm.result);
    give(arm.result, out);
}

FUNCTION(forward_dynamics) {
    Arm &arm = state(self, q, v, a);
    rb::ForwardDynamics(arm.model, arm.q, arm.v, arm.a, arm.result);
    give(arm.result, out);
}

}  // extern "C"
