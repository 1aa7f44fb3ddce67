// Orocos KDL: its solvers on a chain.
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <algorithm>
#include <vector>

#include "arm.h"

namespace {

const KDL::Vector down(0, 0, -9.81);

struct Arm {
    explicit Arm(const KDL::Chain &given)
        : chain(given), n(given.getNrOfJoints()), place(chain), jacobian(chain), torque(chain, down), terms(chain, down),
          forward(chain, down), q(n), v(n), a(n), result(n), J(n), M(n), forces(n, KDL::Wrench::Zero()), frames(n) {}
    KDL::Chain chain;
    unsigned n;
    KDL::ChainFkSolverPos_recursive place;
    KDL::ChainJntToJacSolver jacobian;
    KDL::ChainIdSolver_RNE torque;
    KDL::ChainDynParam terms;
    KDL::ChainFdSolver_RNE forward;
    KDL::JntArray q, v, a, result;
    KDL::Jacobian J;
    KDL::JntSpaceInertiaMatrix M;
    KDL::Wrenches forces;
    std::vector<KDL::Frame> frames;
};

Arm &state(void *self, const double *q, const double *v, const double *a) {
    Arm &arm = *static_cast<Arm *>(self);
    std::copy_n(q, arm.n, arm.q.data.data());
    std::copy_n(v, arm.n, arm.v.data.data());
    std::copy_n(a, arm.n, arm.a.data.data());
    return arm;
}

}  // namespace

#define FUNCTION(name) void name(void *self, const double *q, const double *v, const double *a, double *out)

extern "C" {

void *make(const joint *joints, int count, const char *) {
    KDL::Chain chain;
    for (int i = 0; i < count; ++i) {
        const joint &j = joints[i];
        const double *R = j.R, *p = j.p, *c = j.c, *I = j.I;
        // the axis and its origin are seen from the segment before; the segment's own frame is the joint's
        const KDL::Frame at(KDL::Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), KDL::Vector(p[0], p[1], p[2]));
        const KDL::RotationalInertia turning(I[0], I[3], I[5], I[1], I[2], I[4]);
        const KDL::RigidBodyInertia body(j.m, KDL::Vector(c[0], c[1], c[2]), turning);
        chain.addSegment(KDL::Segment(KDL::Joint(at.p, at.M.UnitZ(), KDL::Joint::RotAxis), at, body));
    }
    return new Arm(chain);
}

FUNCTION(frames) { Arm &arm = state(self, q, v, a); arm.place.JntToCart(arm.q, arm.frames); (void)out; }
FUNCTION(jacobian) { Arm &arm = state(self, q, v, a); arm.jacobian.JntToJac(arm.q, arm.J); (void)out; }
FUNCTION(inertia_matrix) { Arm &arm = state(self, q, v, a); arm.terms.JntToMass(arm.q, arm.M); (void)out; }

FUNCTION(gravity) {
    Arm &arm = state(self, q, v, a);
    arm.terms.JntToGravity(arm.q, arm.result);
    std::copy_n(arm.result.data.data(), arm.n, out);
}

FUNCTION(inverse_dynamics) {
    Arm &arm = state(self, q, v, a);
    arm.torque.CartToJnt(arm.q, arm.v, arm.a, arm.forces, arm.result);
    std::copy_n(arm.result.data.data(), arm.n, out);
}

FUNCTION(forward_dynamics) {
    Arm &arm = state(self, q, v, a);
    arm.forward.CartToJnt(arm.q, arm.v, arm.a, arm.forces, arm.result);
    std::copy_n(arm.result.data.data(), arm.n, out);
}

}  // extern "C"
