// Pinocchio: the compiled library of its wheel, called as its C++ users do.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <algorithm>

#include "arm.h"

namespace pin = pinocchio;

namespace {

struct Arm {
    pin::Model model;
    pin::Data data;
    pin::Data::Matrix6x J;
    Eigen::VectorXd q, v, a;  // the library is compiled for vectors that own their entries
};

Eigen::Matrix3d matrix(const double *x) { return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x); }

Eigen::Matrix3d symmetric(const double *x) {
    Eigen::Matrix3d I;
    I << x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5];
    return I;
}

Arm &state(void *self, const double *q, const double *v, const double *a) {
    Arm &arm = *static_cast<Arm *>(self);
    std::copy_n(q, arm.q.size(), arm.q.data());
    std::copy_n(v, arm.v.size(), arm.v.data());
    std::copy_n(a, arm.a.size(), arm.a.data());
    return arm;
}

template <class Matrix> void give(const Matrix &x, double *out) { std::copy_n(x.data(), x.size(), out); }

}  // namespace

#define FUNCTION(name) void name(void *self, const double *q, const double *v, const double *a, double *out)
#define ARM Arm &arm = state(self, q, v, a)
#define STATE arm.model, arm.data, arm.q
#define MOVING STATE, arm.v, arm.a

extern "C" {

void *make(const joint *joints, int count, const char *) {
    pin::Model model;
    pin::JointIndex parent = 0;
    for (int i = 0; i < count; ++i) {
        const joint &j = joints[i];
        const pin::SE3 place(matrix(j.R), Eigen::Map<const Eigen::Vector3d>(j.p));
        parent = model.addJoint(parent, pin::JointModelRZ(), place, "joint" + std::to_string(i));
        const pin::Inertia body(j.m, Eigen::Map<const Eigen::Vector3d>(j.c), symmetric(j.I));
        model.appendBodyToJoint(parent, body, pin::SE3::Identity());
    }
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(count);
    return new Arm{model, pin::Data(model), pin::Data::Matrix6x::Zero(6, count), zero, zero, zero};
}

FUNCTION(inverse_dynamics) { ARM; give(pin::rnea(MOVING), out); }
FUNCTION(gravity) { ARM; give(pin::computeGeneralizedGravity(STATE), out); }
FUNCTION(forward_dynamics) { ARM; give(pin::aba(MOVING, pin::Convention::WORLD), out); }
FUNCTION(frames) { ARM; pin::forwardKinematics(STATE); (void)out; }
FUNCTION(inertia_matrix) { ARM; pin::crba(STATE, pin::Convention::WORLD); (void)out; }
FUNCTION(regressor) { ARM; pin::computeJointTorqueRegressor(MOVING); (void)out; }
FUNCTION(inverse_dynamics_derivatives) { ARM; pin::computeRNEADerivatives(MOVING); (void)out; }
FUNCTION(forward_dynamics_derivatives) { ARM; pin::computeABADerivatives(MOVING); (void)out; }

FUNCTION(jacobian) {
    ARM;
    pin::computeJointJacobians(STATE);
    pin::getJointJacobian(arm.model, arm.data, arm.model.njoints - 1, pin::LOCAL_WORLD_ALIGNED, arm.J);
    (void)out;
}

}  // extern "C"
