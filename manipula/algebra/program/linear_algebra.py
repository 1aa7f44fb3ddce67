"""Systems of linear equations, and eigenvalues of a real matrix; matrices are flat, row by row."""

from __future__ import annotations

from manipula.algebra.program.primitives import Ints, Numbers, Reals, like, reals, sqrt

# Systems of linear equations by elimination with row exchanges.

ROUNDING = 1e-16
LEAST = 1e-300


def factorised(n: int, A: Numbers, order: Ints) -> float:
    """PA = LU in place; returns the least pivot by the largest. A pivot that vanishes is taken for rounding."""
    # larger than any pivot: the language of texts has no infinity
    least = 1e300
    most = 0.0
    for k in range(n):
        p = k
        size = abs(A[k * n + k])
        for i in range(k + 1, n):
            other = abs(A[i * n + k])
            # partial pivoting; the first of equal rows stays, in every language
            if other > size:
                size = other
                p = i
        order[k] = p
        if p != k:
            for j in range(n):
                held = A[k * n + j]
                A[k * n + j] = A[p * n + j]
                A[p * n + j] = held
        least = min(least, size)
        # the ratio of pivots is no condition number, but cheap, and small where that is large
        most = max(most, size)
        # an exact zero in its place would stop the solver at a singular arm; this gives a large, finite answer
        if size <= ROUNDING * most:
            A[k * n + k] = ROUNDING * most + LEAST
        # one division a column, which is dearer than the products
        inverse = 1 / A[k * n + k]
        for i in range(k + 1, n):
            factor = A[i * n + k] * inverse
            A[i * n + k] = factor
            for j in range(k + 1, n):
                A[i * n + j] -= factor * A[k * n + j]
    return least / (most + LEAST)


def solved(n: int, m: int, A: Numbers, order: Ints, B: Numbers) -> None:
    """B (n by m) becomes the solution X of AX = B; A as `factorised` left it."""
    for k in range(n):
        p = order[k]
        for j in range(m):
            held = B[k * m + j]
            B[k * m + j] = B[p * m + j]
            B[p * m + j] = held
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i * n + k]
            for j in range(m):
                B[i * m + j] -= factor * B[k * m + j]
    for k in range(n - 1, -1, -1):
        inverse = 1 / A[k * n + k]
        for j in range(m):
            B[k * m + j] *= inverse
        for i in range(k):
            factor = A[i * n + k]
            for j in range(m):
                B[i * m + j] -= factor * B[k * m + j]


def solved_transposed(n: int, A: Numbers, order: Ints, b: Numbers) -> None:
    """b becomes the solution x of A'x = b, A' the transpose; A as `factorised` left it."""
    for k in range(n):
        b[k] /= A[k * n + k]
        for i in range(k + 1, n):
            b[i] -= A[k * n + i] * b[k]
    for k in range(n - 1, -1, -1):
        for i in range(k):
            b[i] -= A[k * n + i] * b[k]
    # Aᵀ = UᵀLᵀP: the exchanges come last, and backwards
    for k in range(n - 1, -1, -1):
        p = order[k]
        held = b[k]
        b[k] = b[p]
        b[p] = held


def largest(n: int, x: Numbers) -> float:
    """The size of the largest of n entries."""
    most = 0.0
    for i in range(n):
        most = max(most, abs(x[i]))
    return most


def inverse_size(n: int, A: Numbers, order: Ints) -> float:
    """The largest entry of the inverse, for n up to 6; A as `factorised` left it."""
    eye = like(A, 36)
    for i in range(n * n):
        eye[i] = 0.0
    for i in range(n):
        eye[i * n + i] = 1.0
    solved(n, n, A, order, eye)
    return largest(n * n, eye)


SMALL = 2.220446049250313e-16
SWEEPS = 60  # for one eigenvalue, at most
UNUSUAL = 10  # sweeps after which the shift is drawn from elsewhere
MOST = 32  # rows, at most


# Eigenvalues: balancing, Hessenberg form, implicitly double-shifted QR (Francis 1961).


def eigenvalues(n: int, A: Reals, re: Reals, im: Reals) -> int:
    """All eigenvalues, of a pair that with the positive imaginary part first; returns how many could not be found.

    A is destroyed. Those not found stand first and mean nothing.
    """
    balance(n, A)
    hessenberg(n, A)
    return split_off(n, A, re, im)


def balance(n: int, A: Reals) -> None:
    """Scale rows and columns by powers of two until those of one number have alike norms."""
    again = True
    while again:
        again = False
        for i in range(n):
            column = 0.0
            row = 0.0
            for j in range(n):
                if j != i:
                    column += abs(A[j * n + i])
                    row += abs(A[i * n + j])
            if column == 0 or row == 0:
                continue
            before = column + row
            factor = 1.0
            # powers of two scale without rounding
            while column < row / 2:
                column *= 4
                factor *= 2
            while column >= row * 2:
                column /= 4
                factor /= 2
            # less than 5 % gained is not worth another pass (Parlett, Reinsch 1969)
            if (column + row) / factor < 0.95 * before:
                again = True
                for j in range(n):
                    A[i * n + j] /= factor
                for j in range(n):
                    A[j * n + i] *= factor


def hessenberg(n: int, A: Reals) -> None:
    """By reflections: nothing is left below the first subdiagonal."""
    v = reals(MOST)
    dot = reals(MOST)
    for k in range(n - 2):
        size = 0.0
        for i in range(k + 1, n):
            v[i] = A[i * n + k]
            size += v[i] * v[i]
        size = sqrt(size)
        if size == 0:
            continue
        # the sign that adds: v[k + 1] − size must not cancel
        size = -size if v[k + 1] > 0 else size
        beta = 1 / (size * (size - v[k + 1]))
        v[k + 1] -= size
        for j in range(k, n):
            dot[j] = 0.0
        for i in range(k + 1, n):
            for j in range(k, n):
                dot[j] += v[i] * A[i * n + j]
        for i in range(k + 1, n):
            factor = beta * v[i]
            for j in range(k, n):
                A[i * n + j] -= factor * dot[j]
        for i in range(n):
            total = 0.0
            for j in range(k + 1, n):
                total += A[i * n + j] * v[j]
            total *= beta
            for j in range(k + 1, n):
                A[i * n + j] -= total * v[j]
        A[(k + 1) * n + k] = size
        for i in range(k + 2, n):
            A[i * n + k] = 0.0


def split_off(n: int, H: Reals, re: Reals, im: Reals) -> int:
    """Eigenvalues from the lower end, one or two at a time; returns how many were not found."""
    norm = 0.0
    for i in range(n * n):
        norm += abs(H[i])
    high = n - 1
    sweeps = 0
    while high >= 0:
        # deflation: a subdiagonal entry of rounding parts the matrix into two
        low = block_start(n, H, high, norm)
        if low == high:
            re[high] = H[high * n + high]
            im[high] = 0.0
            high -= 1
            sweeps = 0
        elif low == high - 1:
            two_by_two(n, H, high, re, im)
            high -= 2
            sweeps = 0
        # real matrices converge in a handful; this many means NaN or a defect
        elif sweeps == SWEEPS:
            return high + 1
        else:
            sweeps += 1
            sweep(n, H, low, high, sweeps % UNUSUAL == 0)
    return 0


def block_start(n: int, H: Reals, high: int, norm: float) -> int:
    """The first row of the last block: above it the subdiagonal entry is rounding."""
    low = high
    while low > 0:
        size = abs(H[(low - 1) * n + low - 1]) + abs(H[low * n + low])
        # both neighbours zero: only the whole matrix says what is small
        size = norm if size == 0 else size
        if abs(H[low * n + low - 1]) <= SMALL * size:
            break
        low -= 1
    return low


def two_by_two(n: int, H: Reals, high: int, re: Reals, im: Reals) -> None:
    """The two eigenvalues of the last block of two rows."""
    x = H[high * n + high]
    half = (H[(high - 1) * n + high - 1] - x) / 2
    product = H[high * n + high - 1] * H[(high - 1) * n + high]
    square = half * half + product
    root = sqrt(abs(square))
    if square >= 0:
        # the root that does not cancel; the other follows from the product of both
        far = half - root if half < 0 else half + root
        re[high - 1] = x + far
        re[high] = x if far == 0 else x - product / far
        im[high - 1] = 0.0
        im[high] = 0.0
    else:
        re[high - 1] = x + half
        re[high] = x + half
        im[high - 1] = root
        im[high] = -root


def sweep(n: int, H: Reals, low: int, high: int, unusual: bool) -> None:
    """One step of QR with the two eigenvalues of the last two rows as shifts, in real numbers."""
    x = H[high * n + high]
    y = H[(high - 1) * n + high - 1]
    w = H[high * n + high - 1] * H[(high - 1) * n + high]
    if unusual:
        size = abs(H[high * n + high - 1]) + abs(H[(high - 1) * n + high - 2])
        # the exceptional shift of EISPACK's hqr, for a matrix that the usual one leaves in a circle
        x += 0.75 * size
        y = x
        w = -0.4375 * size * size
    first = high - 2
    p = 0.0
    q = 0.0
    r = 0.0
    while first >= low:  # where two small entries follow each other the step may begin further down
        z = H[first * n + first]
        below = H[(first + 1) * n + first]
        # the first column of (H − x)(H − y), which alone decides the step (implicit Q theorem)
        p = ((x - z) * (y - z) - w) / below + H[first * n + first + 1]
        q = H[(first + 1) * n + first + 1] - z - (x - z) - (y - z)
        r = H[(first + 2) * n + first + 1]
        size = abs(p) + abs(q) + abs(r)
        p /= size
        q /= size
        r /= size
        if first == low:
            break
        near = abs(H[(first - 1) * n + first - 1]) + abs(z) + abs(H[(first + 1) * n + first + 1])
        if abs(H[first * n + first - 1]) * (abs(q) + abs(r)) <= SMALL * abs(p) * near:
            break
        first -= 1
    for i in range(first + 2, high + 1):
        H[i * n + i - 2] = 0.0
        if i > first + 2:
            H[i * n + i - 3] = 0.0
    for k in range(first, high):
        last = k == high - 1
        size = 1.0
        if k > first:
            p = H[k * n + k - 1]
            q = H[(k + 1) * n + k - 1]
            r = 0.0 if last else H[(k + 2) * n + k - 1]
            size = abs(p) + abs(q) + abs(r)
            if size == 0:
                continue
            p /= size
            q /= size
            r /= size
        length = sqrt(p * p + q * q + r * r)
        # p + length, below, must not cancel
        length = -length if p < 0 else length
        if k > first:
            H[k * n + k - 1] = -length * size
        elif low < first:
            H[k * n + k - 1] = -H[k * n + k - 1]
        reflect(n, H, k, low, high, p, q, r, length)


def reflect(n: int, H: Reals, k: int, low: int, high: int, p: float, q: float, r: float, length: float) -> None:
    """The reflection that turns (p, q, r) to its first axis, on three rows and three columns (two at the end)."""
    p += length
    x = p / length
    y = q / length
    z = r / length
    q /= p
    r /= p
    if k == high - 1:
        for j in range(k, high + 1):
            dot = H[k * n + j] + q * H[(k + 1) * n + j]
            H[k * n + j] -= dot * x
            H[(k + 1) * n + j] -= dot * y
        for i in range(low, high + 1):
            dot = x * H[i * n + k] + y * H[i * n + k + 1]
            H[i * n + k] -= dot
            H[i * n + k + 1] -= dot * q
        return
    for j in range(k, high + 1):
        dot = H[k * n + j] + q * H[(k + 1) * n + j] + r * H[(k + 2) * n + j]
        H[k * n + j] -= dot * x
        H[(k + 1) * n + j] -= dot * y
        H[(k + 2) * n + j] -= dot * z
    end = min(high, k + 3)
    for i in range(low, end + 1):
        dot = x * H[i * n + k] + y * H[i * n + k + 1] + z * H[i * n + k + 2]
        H[i * n + k] -= dot
        H[i * n + k + 1] -= dot * q
        H[i * n + k + 2] -= dot * r
