"""Every tolerance of inverse kinematics, with its unit and its reason; texts read them from here, too.

Lengths are in metres for an arm whose reach is one metre, and grow with it where the reason says "arm". Numbers that
say how much work is done (starts, steps, samples) are no tolerances and stand beside what they steer.
"""

from __future__ import annotations


class BranchTolerance:
    """When branches of a closed form are answers. Of a discriminant the unit is that of a squared sine."""

    EXACT = 1e-12  # m and rad, by the arm: largest entry of |FK − pose| of an answer; rounding of a chain leaves 1e-15
    FEW = 4e-6  # the same for fewer than six freedoms: ‖ΔT‖ ≤ √12·1e-6 of a pose whose entries are wrong by 1e-6 each
    MET = 1e-9  # the same where one branch meets the pose so well: the pose is exact, so the others must be
    GOOD = 1e-13  # by the arm: residual of a branch that needs no polish
    LOOSE = 1e-7  # by the arm: the same for emitted code, which does not polish branches beside a lock
    MARGIN = 1e-8  # discriminant: above this no two branches meet, as its root, 1e-4 rad, is the distance between them
    FAMILY = 1e-18  # discriminant: only beside a lock this close, 1e-9 rad, can answers form a family
    ALMOST = -1e-6  # discriminant: a branch this far out of reach may have been lost by rounding of the pose
    NEARBY = 1e-3  # m, rad: a branch that misses by less is worth a polish, and two this close may be one
    BESIDE = 0.05  # the same miss for fewer than six freedoms, where a pose that is a little off leads astray
    SAME = 1e-6  # rad, m: answers nearer than this are one
    ONE = 2e-15  # by the arm: two answers between which the pose is missed by less are one double root
    SEATED = 1e-9  # rad, m: a branch this near to the seed is the seed


class EmittedTolerance:
    """The nearest solution in emitted code, in double precision; what is not here is as in `BranchTolerance`."""

    CLEAN = 1e-15  # of RᵀR − 1: a rotation as exact as rounding lets it be
    DAMPING = 1e-15  # of squared units: above the rounding of JᵀJ, below the square of what a polish corrects
    PULL = 1e-10  # of squared units: weight of the way to the present joints along a family
    STILL = 1e-7  # rad, m: a step along a family that ends the way; a held joint is so far inside, for the polish


class SingleTolerance:
    """The same in single precision, where a step of a chain rounds 1e-7 of the arm."""

    CLEAN = 5e-7  # of RᵀR − 1: a rotation as exact as rounding lets it be
    STATED = 1e-6  # by the arm: largest entry of |FK − pose| of a solution
    EXACT = 7e-7  # by the arm: the same as it is computed, which leaves room for the rounding of FK itself
    FEW = 1e-5  # the same for fewer than six freedoms
    MET = 2e-6  # the same where one branch meets the pose so well
    GOOD = 2e-7  # by the arm: residual of a branch that needs no polish
    FAMILY = 1e-5  # discriminant: rounding alone makes some 1e-6 of it
    DAMPING = 1e-6  # of squared units: above the rounding of JᵀJ
    PULL = 1e-5  # of squared units: weight of the way to the present joints along a family
    STILL = 3e-4  # rad, m: a step along a family that ends the way
    INSIDE = 1e-5  # rad, m: a joint this far past its limit is on it
    CLEAR = 1e-3  # discriminant, rad², rad: a self-test keeps so far from where either solution would do


class NearestTolerance:
    """The choice of the nearest solution in emitted code, in either precision; distances are squares of rad and m."""

    NEVER = 1e30  # further than anything, and a number in single precision
    CLOSE = 1e-6  # beside a solution this near to now no other is worth the search
    MOVED = 1e-4  # what a way along a family leads away from a branch at least
    NEARLY = 1e-2  # by less than this a member outside the limits is not nearer than one on them
    NEAR = 0.01  # rad: how far from a singular configuration the present joints of a self-test are
    SLACK = 5e-3  # rad: a member of a family is no more exact than this in single precision


class LimitTolerance:
    """Joint limits, rad or m."""

    SLACK = 1e-12  # a turn that ends this far past a limit may still be chosen: a joint on its limit is inside
    INSIDE = 1e-9  # a joint this far past its limit is on it: what a polish may move it


class StructureTolerance:
    """An arm that is not quite what its closed form takes it for."""

    REGULAR = 1e-3  # discriminant of a pose at which a defect shows as it is
    MOST = 1e-7  # by the arm: what misses by more is no defect of the structure
    MARGIN = 8.0  # the largest of some samples is not the largest there is
    ROUNDING = 1e-15  # by the arm: what every arm has
    APART = 5.0  # of the root of the defect, by which roots that meet part: joints that move along amplify it
    MOVED = 1e-7  # rad; where the defect moves a joint by more, the seed is asked


class PoseTolerance:
    """What is a pose."""

    CLEAN = 1e-13  # of RᵀR − 1 and the last row: rounding, nothing is made exact
    TOLD = 1e-6  # the same: what a file with seven digits has, and is not worth a word
    ROTATION = 1e-3  # of the entries of R, in the mean: what three digits leave; more is a mistake


class ParameterTolerance:
    """Redundant arms."""

    APART = 1e-6  # rad, m: values of the parameter that are nearer are one
    FLAT = 1e-6  # sine between an axis and the line shoulder–wrist below which its plane is not sure
    INSIDE = 1e-3  # rad, m: how far from their limits joints are kept on the way to the answer nearest to a seed


class FamilyTolerance:
    """Infinitely many answers."""

    NEAR = 1e-5  # singular value, by the arm, below which a pose counts as singular
    HARDLY = 1e-6  # of the step's square: less than this strays no pose where branches meet
    BESIDE = 2e-6  # of the step: more than this strays no pose along a family that is broken by 1e-6
    WHOLE = 1e-4  # entries of a direction this near to 0 or ±1 are that
    SQUARE = 1e-3  # of the square of the way between two roots: where the pose strays by more, no family joins them
    ALONG = 1e-11  # m, rad: what a walk along an exact family may stray
    BROKEN = 50.0  # of a family's own defect: what a walk along a broken one may stray
    LARGEST = 0.999  # of the largest entry: as large, of entries that are equal but for rounding


class WalkTolerance:
    """Walks along a family."""

    SHORTEST = 0.02  # rad: where this step is too long a curve ends
    STRAIGHT = 1e-12  # m, rad: a walk that misses the pose by less need not be straightened
    CLOSE = 1e-10  # rad; a move along a curve that counts as none
    DAMP = 1e-13  # of squared units: keeps a second singularity on the way from throwing the walk off


class NewtonTolerance:
    """Polish, and least squares with bends."""

    POLISHED = 1e-15  # m, rad: nothing is left to polish
    REST = 1e-12  # rad: a shorter step counts as no step
    RANK = 1e-9  # singular values below this, of the largest, are not followed
    DAMPING = 1e-3  # of squared units, at first
    LEAST = 1e-14  # damping below which no step is better
    STUCK = 1e7  # damping beyond which no step helps


class LeastSquaresTolerance:
    """The nearest configuration beside a branch."""

    REST = 1e-13  # rad: a shorter step counts as no step
    DAMPING = 1e-9  # of squared units, at first
    LEAST = 1e-12  # less would not keep AᵀA from being singular
    STUCK = 1e3  # damping beyond which no step helps


class SearchTolerance:
    """Descents from many starts."""

    CLOSE = 1e-3  # m, rad: what a descent may leave where a solution is
    LOOSE = 30.0  # of the tolerance: what misses by more after a polish is somewhere else
    REACHED = 1e-9  # m, rad: distance that least squares may leave where a pose is reached
    STILL = 1e-4  # rad by which a joint added to an arm may miss zero, before its answer is polished
    JUMP = 1.0  # rad, m: more between two poses is no path whose poses are close together


class DescentTolerance:
    """Damped least squares; e² is the squared twist that is missing."""

    STUCK = 1e9  # damping beyond which no step helps
    ROUNDING = 1e-31  # of e²: what is left is rounding
    STILL = 1e-24  # rad²: a squared step that moves nothing
    SLOW = 0.995  # e² that shrinks no faster for some steps, far from nothing, leads to another valley
    FAR = 1e-6  # of e²: far from nothing
    SINE = 1e-9  # of an angle that is its own sine
    PIVOT = 1e-30  # least pivot of Cholesky's factor, so that a root exists
    DAMPING = 1e-12  # least damping that can grow


class PartialTolerance:
    """Tasks that leave a part of the pose open."""

    ALMOST = 1e-6  # m, by the arm: what misses by less is singular, not out of reach
    STRONG = 1e-6  # singular values, of the largest, that a first step follows
    WEAK = 1e-14  # and the last ones
    PLANE = 1e-9  # of the arm's size: less is no thickness
    SLIGHT = 1e-7  # of the arm's size: less moves nothing
    FLAT = 1e-6  # two equations nearer to one than this are also read as one
    ROUNDING = 1e-14  # coefficients below this, of the largest, are zero: they would make roots at infinity
    LEVEL = 1e-12  # 1 − cosine: a plane this level is level
    NOTHING = 1e-11  # a polynomial with no larger coefficient says nothing, for lengths of 1
    ON_AXIS = 1e-26  # product of two distances from an axis, each rounding: the angle is free


class Beyond:
    """Stand-ins for what lacks a number."""

    FINITE = 1e100  # what is larger comes from a division by nothing
    NEVER = 1e300  # farther than anything
    NOTHING = 1e-300  # keeps a division by nothing from being one


class ReadingTolerance:
    """How a general 6R arm is read; lengths in the arm's own unit."""

    KERNEL = 1e-9  # singular values below this, of the largest, count as zero
    SLIDES = 1e-6  # singular values below this, of the largest: frames of parallel axes may stay where they are
    SPAN = 1e-6  # of unit vectors: less adds no direction
    MOVING = 1e-9  # least singular value of a Jacobian that is not zero
    ROUGH = 1e-2  # rad; a first Newton step longer than this says nothing about a reading
    HORIZON = 3.0  # rad off the real axis; of 16 roots those beyond need no proof, where there are fewer some are false
    NOWHERE = 1e9  # rad; no root is so far from the real axis
    ILL = 1e-8  # least pivot by largest, of an M₂ that is nearly singular
    ONE = 1e-6  # relative: eigenvalues nearer than this are one, and a vector may be a mixture
    STEADY = 0.3  # rad; a first Newton step shorter than this says that a far root is one


class RootTolerance:
    """Roots of a general 6R arm, real and complex angles."""

    EXACT = 1e-10  # m, by the arm: largest |FK − pose| of an answer
    SLACK = 1e-6  # of RᵀR − 1: what rounding in a file may cost a pose given to C; more is a mistake
    REACH = 0.5  # rad; no Newton step is longer: beyond, the arm is no longer linear
    CONVERGED = 1e-6  # rad: a last Newton step below this has a root within its square
    SETTLED = 1e-10  # rad; shorter steps change nothing
    FINE = 1e-14  # m; residuals below this are rounding
    SMALL = 1e-4  # rad; for second derivatives: the root of the root of rounding
    MOVES = 1e-11  # singular value, in the arm's unit: what moves the tool less is zero
    BENDS = 1e-6  # and so is a change of it that is less
    TWIN = 10.0  # rad; a twin so far away does not count
    LOOSE = 1e6  # a complex root with a larger inverse derivative may be one of a family: it proves nothing
    REAL = 1e-6  # rad: imaginary parts below this leave a residual of their square
    INFINITY = 20.0  # rad: nothing so far from the real axis can be computed, as e²⁰ squared is all digits there are
    STRAYED = 0.1  # rad: Newton's method that leans further than its start was not near a root
    PAIR = 0.2  # rad: a start this near to the real axis may stand for two real roots that are close
    SAME = 1e-6  # rad: roots closer than this are one
    DOUBLE = 1e-3  # rad; a root with a twin closer than this is flagged
    ROUNDING = 1e-11  # m; what a double root of a rounded pose may lack
    BLUR = 1e-4  # rad; roots that rounding does not tell apart are closer than this
    STIFF = 30.0  # where the inverse derivative is larger than this, a twin may be near
    ALMOST = 0.1  # rad off the real axis, from where a multiple root may have been shaken
    RANK = 1e-7  # singular values below this, of the largest, move nothing
    EASED = 1e-12  # m; the residual of a solution that need not be isolated
    SQUARE = 1e-15  # cosine of the angle between two columns that is rounding


class SingularTolerance:
    """Where a Jacobian loses rank: the smallest of its singular values over the largest."""

    LOST = 1e-6  # there: the root of what rounding of a squared factor leaves
    KEPT = 1e-9  # elsewhere at least so much, however near the draw came to a case
    OFF = 1e-3  # of a factor: a draw with less is not elsewhere
    ROOT = 1e-14  # rad or m; a root that is searched along a joint
    NOTHING = 1e-300  # no matrix is so small; what is divided by


class PathTolerance:
    """Paths solved as a whole."""

    BEYOND = 1e-6  # of the reach: poses that rounding of their numbers puts beyond it are still asked
    CORNER = 1e-12  # of squared metres: makes a length that is zero smooth
    TICK = 1e-6  # rad, m: a difference along a branch, the root of rounding with some room
    STEEP = 1e3  # rad by rad: beside a singular pose a difference says nothing
    TOUCH = 1e-9  # rad: rows this much further apart than a step are compared, so that rounding of a key loses none
    DAMPING = 1e-6  # of squared slopes: keeps the sums of a path that stands still from being singular


class ClosureTolerance:
    """Robots with loops."""

    PIVOT = 1e-9  # of a divisor's usual size: below, nothing that was computed means anything
    OPEN = 1e-3  # of the mechanism's size, and rad: above, positions are no measured ones of closed loops


class BaseTolerance:
    """Bases that move."""

    ROTATION = 1e-6  # of an entry of RᵀR − 1: what is further off is no rotation
