"""Triangles of one colour that are drawn together show the same picture as one by one."""

import numpy as np

from planetfall.report.silhouettes import layers_of


def top_colors(triangles: np.ndarray, order: np.ndarray, colors: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The colour seen at each point when triangles are painted in an order; -1 where there is none."""
    seen = np.full(len(points), -1)
    for i in order:
        a, b, c = triangles[i]
        sides = [(q - p)[0] * (points - p)[:, 1] - (q - p)[1] * (points - p)[:, 0] for p, q in ((a, b), (b, c), (c, a))]
        seen[np.all(np.array(sides) > 0, axis=0) | np.all(np.array(sides) < 0, axis=0)] = colors[i, 0]
    return seen


def test_layers_show_the_same_picture() -> None:
    random = np.random.default_rng(5)
    triangles = random.uniform(0, 10, (300, 1, 2)) + random.uniform(-1, 1, (300, 3, 2))
    colors = np.repeat(random.integers(0, 6, (300, 1)).astype(np.uint8), 3, axis=1)
    layer = layers_of(triangles, colors)
    points = random.uniform(0, 10, (4000, 2))
    one_by_one = top_colors(triangles, np.arange(300), colors, points)
    assert np.array_equal(top_colors(triangles, np.argsort(layer, kind="stable"), colors, points), one_by_one)
    assert len(np.unique(one_by_one)) == 7  # all colours, and ground between them
    assert layer.max() < 299  # some were joined
    for i in range(layer.max() + 1):
        assert len(np.unique(colors[layer == i])) == 1
