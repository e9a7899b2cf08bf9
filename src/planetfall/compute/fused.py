"""Products and sums with one rounding: a b + c by the fused multiply-add that CPUs and GPUs have.

Kernels are compiled without contraction, so that no compiler chooses where to fuse and a run has the same bits in every
kernel that contains it and on every device. Where a step spends its time, the sums are fused here by name instead: the
same bits everywhere too, and half the instructions.
"""

import warp as wp

_FMA = """
#if defined(__CUDA_ARCH__)
#define PLANETFALL_FMA(a, b, c) fma(a, b, c)
#else
#define PLANETFALL_FMA(a, b, c) __builtin_fma(a, b, c)
#endif
"""


@wp.func_native(f"{_FMA} return PLANETFALL_FMA(a, b, c);")
def fma(a: wp.float64, b: wp.float64, c: wp.float64) -> wp.float64:  # pyright: ignore[reportReturnType]
    """Product of a and b, plus c."""
    ...


@wp.func
def dotted(a: wp.vec3d, b: wp.vec3d) -> wp.float64:
    """The dot product."""
    return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))


@wp.func
def length_of(a: wp.vec3d) -> wp.float64:
    """The length."""
    return wp.sqrt(dotted(a, a))


@wp.func_native("return -a;")
def minus(a: wp.float64) -> wp.float64:  # pyright: ignore[reportReturnType]
    """A number with the other sign: Warp's own takes it from zero, which is an instruction."""
    ...


@wp.func
def minus_vector(a: wp.vec3d) -> wp.vec3d:
    """A vector the other way round."""
    return wp.vec3d(minus(a[0]), minus(a[1]), minus(a[2]))


@wp.func
def crossed(a: wp.vec3d, b: wp.vec3d) -> wp.vec3d:
    """The cross product."""
    return wp.vec3d(
        fma(a[1], b[2], minus(a[2] * b[1])),
        fma(a[2], b[0], minus(a[0] * b[2])),
        fma(a[0], b[1], minus(a[1] * b[0])),
    )


@wp.func
def plus_crossed(c: wp.vec3d, a: wp.vec3d, b: wp.vec3d) -> wp.vec3d:
    """A vector c, plus the cross product of a and b."""
    return wp.vec3d(
        fma(a[1], b[2], fma(minus(a[2]), b[1], c[0])),
        fma(a[2], b[0], fma(minus(a[0]), b[2], c[1])),
        fma(a[0], b[1], fma(minus(a[1]), b[0], c[2])),
    )


@wp.func
def plus_scaled(c: wp.vec3d, a: wp.vec3d, s: wp.float64) -> wp.vec3d:
    """A vector c, plus a times s."""
    return wp.vec3d(fma(a[0], s, c[0]), fma(a[1], s, c[1]), fma(a[2], s, c[2]))


@wp.func
def turned(R: wp.mat33d, a: wp.vec3d) -> wp.vec3d:
    """The product R a."""
    return wp.vec3d(
        fma(R[0, 0], a[0], fma(R[0, 1], a[1], R[0, 2] * a[2])),
        fma(R[1, 0], a[0], fma(R[1, 1], a[1], R[1, 2] * a[2])),
        fma(R[2, 0], a[0], fma(R[2, 1], a[1], R[2, 2] * a[2])),
    )


@wp.func
def turned_back(R: wp.mat33d, a: wp.vec3d) -> wp.vec3d:
    """The product of R transposed with a."""
    return wp.vec3d(
        fma(R[0, 0], a[0], fma(R[1, 0], a[1], R[2, 0] * a[2])),
        fma(R[0, 1], a[0], fma(R[1, 1], a[1], R[2, 1] * a[2])),
        fma(R[0, 2], a[0], fma(R[1, 2], a[1], R[2, 2] * a[2])),
    )


@wp.func
def plus_turned(c: wp.vec3d, R: wp.mat33d, a: wp.vec3d) -> wp.vec3d:
    """A vector c, plus R a."""
    return wp.vec3d(
        fma(R[0, 0], a[0], fma(R[0, 1], a[1], fma(R[0, 2], a[2], c[0]))),
        fma(R[1, 0], a[0], fma(R[1, 1], a[1], fma(R[1, 2], a[2], c[1]))),
        fma(R[2, 0], a[0], fma(R[2, 1], a[1], fma(R[2, 2], a[2], c[2]))),
    )
