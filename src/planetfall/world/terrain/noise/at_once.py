"""The octaves of noise on a CPU: four at once, in the four numbers that its vector instructions work on.

On rough ground a CPU spends most of its time here, and its compiler sees no way to do octaves together. A GPU has
enough to do without: there they are added up one by one, by `noise.sum_from`, in the same order of operations, which
this has to equal to the last bit.
"""

import warp as wp

from planetfall.world.terrain.noise.lattice import LATTICE_FACTOR, LATTICE_SHIFT, MIXED, WHOLE

_VECTORS = """
    typedef double Four __attribute__((ext_vector_type(4)));
    typedef unsigned int Words __attribute__((ext_vector_type(4)));
    typedef unsigned long long Longs __attribute__((ext_vector_type(4)));
    struct Layer { Four value, by_x, by_y, slope[3]; };
    const double whole = @WHOLE@;
    const unsigned int factor = @FACTOR@u, shift = @SHIFT@u;
    const auto fma4 = [](Four a, Four b, Four c) { return __builtin_elementwise_fma(a, b, c); };
    const auto low_words = [](Four a) { return __builtin_convertvector(__builtin_bit_cast(Longs, a), Words); };
    const auto sign = [](Words bits, unsigned int bit, int to_top) {
        const Longs off = __builtin_convertvector(~bits & bit, Longs) << to_top;
        return __builtin_bit_cast(Four, off | 0x3ff0000000000000ull);
    };
    const auto fade_in = [&](Four t) { return t * t * t * fma4(t, fma4(t, (Four)6.0, (Four)-15.0), (Four)10.0); };
    const auto fade_rate = [](Four t) { const Four s = t * (t - 1.0); return 30.0 * s * s; };
"""

_LAYER = """
    const auto layer = [&](Words x_low, Words y_low, Words z_low, const Four* t, const Four* high, const Four* weight) {
        Four value[4], slope[3][4];
        #pragma unroll
        for (int node = 0; node < 4; ++node) {
            Words x = x_low + (node & 1) * factor;
            Words y = y_low + (node >> 1) * factor;
            Words z = z_low;
            @MIXED@
            const Words bits = z ^ (x >> 16);
            slope[0][node] = sign(bits, 0x100u, 55);
            slope[1][node] = sign(bits, 0x200u, 54);
            slope[2][node] = sign(bits, 0x400u, 53);
            const Four along = slope[0][node] * (t[0] - (double)(node & 1));
            value[node] = fma4(slope[2][node], t[2], fma4(slope[1][node], t[1] - (double)(node >> 1), along));
        }
        const Four near = value[1] - value[0], far = value[3] - value[2];
        const Four low = fma4(near, high[0], value[0]), top = fma4(far, high[0], value[2]);
        Layer out;
        out.value = fma4(top - low, high[1], low);
        out.by_x = fma4(far - near, high[1], near);
        out.by_y = top - low;
        #pragma unroll
        for (int k = 0; k < 3; ++k) {
            const Four* s = slope[k];
            out.slope[k] = fma4(s[3], weight[3], fma4(s[2], weight[2], fma4(s[1], weight[1], s[0] * weight[0])));
        }
        return out;
    };
"""

_SUM = """
    wp::vec_t<4, double> out;
    for (int first = 0; first < n; first += 4) {
        Four m[4][4];  // [row][column] of each octave; beyond the last one it again, which is not counted
        #pragma unroll
        for (int row = 0; row < 4; ++row) {
            Four of[4];
            #pragma unroll
            for (int k = 0; k < 4; ++k)
                __builtin_memcpy(&of[k], octaves.data[first + k < n ? first + k : n - 1].data[row], sizeof(Four));
            const Four a = __builtin_shufflevector(of[0], of[1], 0, 4, 2, 6);
            const Four b = __builtin_shufflevector(of[0], of[1], 1, 5, 3, 7);
            const Four c = __builtin_shufflevector(of[2], of[3], 0, 4, 2, 6);
            const Four d = __builtin_shufflevector(of[2], of[3], 1, 5, 3, 7);
            m[row][0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
            m[row][1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
            m[row][2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
            m[row][3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
        }
        Four t[3], high[3], turn[3], mean[3];
        Words start[3];
        #pragma unroll
        for (int k = 0; k < 3; ++k) {
            const Four shifted = fma4(m[k][2], (Four)p[2], m[k][3]);
            const Four u = fma4(m[k][0], (Four)p[0], fma4(m[k][1], (Four)p[1], shifted));
            const Four node = __builtin_elementwise_floor(u) + whole;
            start[k] = low_words(node) * factor + shift;
            t[k] = u - (node - whole);
            high[k] = fade_in(t[k]);
        }
        const Words seed = low_words(m[3][1]);
        start[0] += seed;
        start[1] += seed * factor;
        const Four rest_x = 1.0 - high[0], rest_y = 1.0 - high[1];
        const Four weight[4] = {rest_x * rest_y, high[0] * rest_y, rest_x * high[1], high[0] * high[1]};
        const Layer below = layer(start[0], start[1], start[2], t, high, weight);
        const Four up[3] = {t[0], t[1], t[2] - 1.0};
        const Layer above = layer(start[0], start[1], start[2] + factor, up, high, weight);
        const Four rise = above.value - below.value;
        const Four value = fma4(rise, high[2], below.value);
        #pragma unroll
        for (int k = 0; k < 3; ++k) mean[k] = fma4(above.slope[k] - below.slope[k], high[2], below.slope[k]);
        mean[0] = fma4(fade_rate(t[0]), fma4(above.by_x - below.by_x, high[2], below.by_x), mean[0]);
        mean[1] = fma4(fade_rate(t[1]), fma4(above.by_y - below.by_y, high[2], below.by_y), mean[1]);
        mean[2] = fma4(fade_rate(t[2]), rise, mean[2]);
        #pragma unroll
        for (int k = 0; k < 3; ++k) turn[k] = fma4(m[0][k], mean[0], fma4(m[1][k], mean[1], m[2][k] * mean[2]));
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (first + k >= n) continue;
            out[0] = __builtin_fma(value[k], m[3][0][k], out[0]);
            out[1] = __builtin_fma(turn[0][k], m[3][0][k], out[1]);
            out[2] = __builtin_fma(turn[1][k], m[3][0][k], out[2]);
            out[3] = __builtin_fma(turn[2][k], m[3][0][k], out[3]);
        }
    }
    return out;
"""


def _native(text: str) -> str:
    """With the lattice's numbers filled in."""
    numbers = {"@MIXED@": MIXED, "@WHOLE@": repr(WHOLE.value), "@FACTOR@": LATTICE_FACTOR, "@SHIFT@": LATTICE_SHIFT}
    for name, value in numbers.items():
        text = text.replace(name, str(value))
    return text


@wp.func_native(
    f"""
#if defined(__CUDA_ARCH__)
    return wp::vec_t<4, double>();
#else
    {_native(_VECTORS + _LAYER + _SUM)}
#endif
    """
)
def octaves_at_once(octaves: wp.array(dtype=wp.mat44d), n: int, p: wp.vec3d) -> wp.vec4d:  # pyright: ignore
    """Value and gradient of the sum of the first n octaves at a point, on a CPU."""
    ...
