"""What the scene shows, each against numbers of the run: cameras, sun, frames, scale, north, beams, tethers, clock."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from planetfall.vehicle.drawing import drawn_parts
from support.browser_window import Exported, Window

FLOAT32 = 2.0**-23
PLACE = "planetfall.view.vehicles.bodies[{}].position.toArray()"


def opened(window: Window, made: Exported) -> None:
    window.open(made.page.as_uri())


def seek(window: Window, time: float) -> None:
    window.value(f"planetfall.replay.playback.seek({time!r}), planetfall.drawNow()")


def test_poses_are_interpolated_and_forces_and_modes_held(window: Window, exported: Callable[[str], Exported]) -> None:
    """Halfway between two frames in contact: places half and half, turns by SciPy's slerp, the rest as before."""
    made = exported("drop")
    data = made.trajectory.data
    opened(window, made)
    times: Any = window.value("Array.from(planetfall.replay.arrays.time)")
    forces, modes = data.contact_normal_force.values, data.contact_mode.values
    i = int(np.argmax(np.abs(np.diff(forces, axis=0)).max(axis=1) * (modes[:-1] > 0).any(axis=1)))
    seek(window, 0.5 * (times[i] + times[i + 1]))
    origin: Any = window.value("planetfall.replay.header.origin")
    place: Any = window.value(PLACE.format(0))
    middle = 0.5 * (data.position.values[i, 0] + data.position.values[i + 1, 0]) - origin
    assert place == pytest.approx(middle, abs=4 * FLOAT32 * np.abs(middle).max())
    turn: Any = window.value("planetfall.view.vehicles.bodies[0].quaternion.toArray()")
    first, second = (Rotation.from_quat(data.quaternion.values[k, 0]) for k in (i, i + 1))
    halfway = first * Rotation.from_rotvec(0.5 * (first.inv() * second).as_rotvec())
    # float32 quaternions: each turn is known to 2^-23 or so
    assert (halfway.inv() * Rotation.from_quat(turn)).magnitude() < 4 * FLOAT32
    held: Any = window.value("planetfall.replay.header.points.map((_, k) => planetfall.replay.mode(k))")
    assert held == modes[i].tolist()
    read: Any = window.value(
        "planetfall.replay.header.points.map((_, k) => planetfall.replay.value('contact_normal_force', k))"
    )
    assert read == pytest.approx(forces[i], rel=2 * FLOAT32)


def test_speeds_from_a_hundredth_to_a_thousand(window: Window, exported: Callable[[str], Exported]) -> None:
    opened(window, exported("drop"))
    speeds: Any = window.value("[...document.querySelectorAll('#speed option')].map(o => Number(o.value))")
    assert (speeds[0], speeds[-1]) == (0.01, 1000.0) and speeds == sorted(speeds)
    window.page.select_option("#speed", "1000")
    window.page.click("#play")
    window.wait("planetfall.replay.playback.time === planetfall.replay.playback.end")
    assert window.value("planetfall.replay.playback.playing") is False
    # real time passes in steps of a quarter second at most: 0.01 of it
    shown: Any = window.value(
        "(p => (p.seek(0), p.speed = 0.01, p.playing = true, p.pass(0.25), p.playing = false, p.time))"
        "(planetfall.replay.playback)"
    )
    assert shown == pytest.approx(0.0025)


def test_every_camera_shows_the_vehicle_where_it_should(window: Window, exported: Callable[[str], Exported]) -> None:
    """All but the whole ground and the one aboard have the vehicle in the picture; close goes along with it."""
    made = exported("sensed")
    opened(window, made)
    names: Any = window.value("[...document.querySelectorAll('#camera option')].map(o => o.value)")
    assert names == ["overview", "close", "side", "above", "ground", "aboard", "descent"]
    for key, name in enumerate(names, start=1):
        window.page.keyboard.press(str(key))
        window.value("planetfall.drawNow()")
        assert window.page.input_value("#camera") == name
        x, y, z = window.value(
            "planetfall.view.vehicles.bodies[0].position.clone().project(planetfall.view.camera).toArray()"
        )
        if name in ("overview", "close", "side", "above", "descent"):
            assert abs(x) < 1 and abs(y) < 1 and -1 < z < 1, name
        window.shot(f"camera-{name}")
    window.page.keyboard.press("2")
    before: Any = window.value(
        "planetfall.view.camera.position.clone().sub(planetfall.view.vehicles.bodies[0].position).toArray()"
    )
    seek(window, 1.5)
    after: Any = window.value(
        "planetfall.view.camera.position.clone().sub(planetfall.view.vehicles.bodies[0].position).toArray()"
    )
    assert after == pytest.approx(before, abs=1e-5)


def test_the_camera_of_a_descent_comes_down_with_the_vehicle(
    window: Window, exported: Callable[[str], Exported]
) -> None:
    """It looks from 0.8 of the way that is left, but never from nearer than 6.5 sizes; what was turned stays turned."""
    opened(window, exported("sensed"))
    distance = "planetfall.view.camera.position.distanceTo(planetfall.view.orbit.target)"
    last: Any = window.value("planetfall.replay.arrays.time.at(-1)")
    seek(window, 0.0)
    window.page.keyboard.press("7")
    window.value("planetfall.drawNow()")
    high: Any = window.value(distance)
    seek(window, last)
    window.value("planetfall.drawNow()")
    low, size = (window.value(words) for words in (distance, "planetfall.replay.header.size"))
    assert low < high
    assert low == pytest.approx(6.5 * size / min(1.0, window.value("planetfall.view.camera.aspect")), rel=1e-3)


def test_an_entry_says_how_high_the_vehicle_is(window: Window, exported: Callable[[str], Exported]) -> None:
    """Altitude beside speed, in words, and the curves of a flight first; the camera comes from 500 km to 300 km."""
    made = exported("entry")
    opened(window, made)
    distances = []
    window.page.keyboard.press("7")
    for time in (0.0, 60.0):
        seek(window, time)
        window.value("planetfall.drawNow()")
        altitude = float(made.trajectory.data.altitude.sel(time=time).values[0])
        said = window.page.inner_text("#facts")
        assert f"altitude {float(f'{altitude / 1e3:.5g}'):g} km" in said, said
        distances.append(window.value("planetfall.view.camera.position.distanceTo(planetfall.view.orbit.target)"))
        window.shot(f"entry-{time:g}")
    assert distances[1] < distances[0]
    assert window.value("planetfall.plots.chosen") == ["altitude", "speed", "g_load", "heating"]


def test_aboard_a_sensor_one_looks_along_its_beam(window: Window, exported: Callable[[str], Exported]) -> None:
    """The camera sits where the sensor does; a beam ends where its reading says, on level ground within its errors."""
    made = exported("sensed")
    data, scenario = made.trajectory.data, made.trajectory.scenario
    opened(window, made)
    window.page.keyboard.press("6")
    seek(window, 1.0)
    sensor = next(s for s in scenario.sensors if s.kind == "altimeter")
    frame = int(np.searchsorted(data.time.values, 1.0 + 1e-9) - 1)
    turn = Rotation.from_quat(data.quaternion.values[frame, 0])
    first: Any = window.value("planetfall.replay.header.sensors.find(s => s.beams.length)")
    place = data.position.values[frame, 0] + turn.apply(first["position"])
    origin = np.array(window.value("planetfall.replay.header.origin"))
    assert window.value("planetfall.view.camera.position.toArray()") == pytest.approx(place - origin, abs=1e-4)
    end: Any = window.value(
        f"(() => {{ const of = planetfall.view.beams.sensors.find(s => s.sensor.name === '{sensor.name}');"
        "const rods = of.rods.object;"
        "const m = planetfall.view.camera.matrixWorld.clone(); rods.getMatrixAt(0, m);"
        "return planetfall.view.camera.position.clone().set(0, 1, 0).applyMatrix4(m).toArray() })()"
    )
    # how far the vehicle sinks between two readings, and six standard deviations of one
    slack = (
        float(np.abs(data.velocity.values[:, 0, 2]).max()) / sensor.rate + 6 * sensor.noise + abs(sensor.bias) + 0.01
    )
    assert end[2] + origin[2] == pytest.approx(0.0, abs=slack)
    assert window.page.is_visible("#legend") and "beams" in window.page.inner_text("#legend")


def test_the_sun_stands_still_among_the_stars(window: Window, exported: Callable[[str], Exported]) -> None:
    """Light and shadow come from target.sun_direction, turned back by the body's attitude and spin."""
    made = exported("ball")
    opened(window, made)
    target = made.trajectory.scenario.target
    for time in (0.0, 80.0):
        seek(window, time)
        attitude = Rotation.from_quat(target.attitude) * Rotation.from_rotvec(time * np.array(target.omega))
        towards = attitude.inv().apply(target.sun_direction)
        light: Any = window.value(
            "(s => s.position.clone().sub(s.target.position).normalize().toArray())(planetfall.view.sun)"
        )
        assert light == pytest.approx(towards / np.linalg.norm(towards), abs=1e-6)
    assert window.value("planetfall.view.sun.castShadow") is True
    window.page.keyboard.press("s")
    window.value("planetfall.drawNow()")
    assert window.value("planetfall.view.sun.castShadow") is False
    assert "lamp" not in window.page.inner_text("#legend")


def test_frames_lie_where_they_belong(window: Window, exported: Callable[[str], Exported]) -> None:
    opened(window, exported("drop"))
    seek(window, 0.7)
    assert window.value("planetfall.view.axes.some(a => a.visible)") is False
    window.page.keyboard.press("x")
    window.value("planetfall.drawNow()")
    body, site = window.value(
        "planetfall.view.axes.map(a => [a.visible, a.position.toArray(), a.quaternion.toArray()])"
    )
    assert body[0] is True and site[0] is True
    assert body[1:] == window.value(
        "(b => [b.position.toArray(), b.quaternion.toArray()])(planetfall.view.vehicles.bodies[0])"
    )
    assert site[1] == pytest.approx([-v for v in window.value("planetfall.replay.header.origin")])
    window.shot("frames")


def test_scale_bar_and_north(window: Window, exported: Callable[[str], Exported]) -> None:
    """The bar's length, projected at the distance of the target, is as wide; from above, north is up and east right."""
    opened(window, exported("drop"))
    window.page.keyboard.press("4")
    window.value("planetfall.drawNow()")
    number, unit = window.page.inner_text("#scale").split()
    length = float(number) * {"mm": 1e-3, "m": 1.0, "km": 1e3}[unit]
    pixels: Any = window.value(
        "(() => { const v = planetfall.view, a = v.orbit.target.clone();"
        f"const b = a.clone().add(a.clone().set({length}, 0, 0).applyQuaternion(v.camera.quaternion));"
        "return (b.project(v.camera).x - a.project(v.camera).x) / 2 * v.canvas.clientWidth })()"
    )
    box: Any = window.page.locator("#scale .rule").bounding_box()
    assert box["width"] == pytest.approx(pixels, abs=1.5)
    arms: Any = window.value(
        "Object.fromEntries([...document.querySelectorAll('#compass text')].map(t => "
        "[t.textContent, [+t.getAttribute('x'), +t.getAttribute('y') - 4]]))"
    )
    assert arms["N"][1] < -40 and abs(arms["N"][0]) < 2
    assert arms["E"][0] > 38 and abs(arms["E"][1]) < 2


def test_a_picture_is_saved(window: Window, exported: Callable[[str], Exported]) -> None:
    """As large as the scene, named after run and time, and not empty."""
    from PIL import Image

    opened(window, exported("drop"))
    seek(window, 0.5)
    with window.page.expect_download() as waiting:
        window.page.keyboard.press("g")
    saved = waiting.value
    assert saved.suggested_filename == "msl-drop-0.500s.png"
    with Image.open(saved.path()) as picture:
        assert list(picture.size) == window.value(
            "[planetfall.view.canvas.clientWidth, planetfall.view.canvas.clientHeight]"
        )
        assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 100


def test_bridles_show_tension_slack_and_cut(window: Window, exported: Callable[[str], Exported]) -> None:
    """Taut ones straight and in the ramp's colours, slack ones in their own and hanging, cut ones gone."""
    made = exported("crane")
    data = made.trajectory.data
    opened(window, made)
    assert len(window.value("planetfall.replay.header.bodies")) == 2
    touched = float(data.time.values[np.argmax(data.contact_mode.values.max(axis=1) > 0)])
    cut = float(data.time.values[np.argmax(data.tether_cut.values[:, 0])])
    assert touched < cut < data.time.values[-1]
    for name, time in (
        ("taut", touched - 1.0),
        ("contact", touched + 0.3),
        ("slack", cut - 0.02),
        ("cut", cut + 0.3),
        ("away", 24.5),
    ):
        seek(window, time)
        frame = int(np.searchsorted(data.time.values, time + 1e-9) - 1)
        for k, tension in enumerate(data.tether_tension.values[frame]):
            length, color = drawn_tether(window, k)
            if data.tether_cut.values[frame, k]:
                assert length == 0.0
                continue
            if tension > 0:
                assert length == pytest.approx(data.tether_length.values[frame, k], rel=1e-3)
                assert color != pytest.approx([0.8, 0.47, 0.65], abs=0.01)
            else:
                rest, apart = data.tether_rest_length.values[frame, k], data.tether_length.values[frame, k]
                # a parabola that is a little longer than its chord: the next term is (rest/apart - 1) times smaller
                assert length == pytest.approx(max(rest, apart), rel=max(0.3 * abs(rest / apart - 1), 1e-3))
                assert color == pytest.approx([0.8, 0.47, 0.65], abs=0.01)
        window.value("planetfall.view.cameras.go('side')")
        window.value("planetfall.view.cameras.body = 0, planetfall.view.cameras.go('close')")
        window.value("planetfall.view.camera.position.multiplyScalar(1.8), planetfall.view.orbit.update()")
        window.shot(f"crane-{name}")
    assert "tension 0 to" in window.page.inner_text("#legend")
    assert window.errors == []


def drawn_tether(window: Window, index: int) -> tuple[float, list[float]]:
    """Length [m] of what is drawn of a tether, and its colour (sRGB)."""
    out: Any = window.value(
        f"(() => {{ const rods = planetfall.view.tethers.rods.object, m = planetfall.view.camera.matrixWorld.clone();"
        "const c = planetfall.view.scene.background.clone(); let length = 0;"
        f"for (let i = 20 * {index}; i < 20 * {index} + 20; i++) {{ rods.getMatrixAt(i, m); rods.getColorAt(i, c);"
        "length += Math.hypot(m.elements[4], m.elements[5], m.elements[6]) } c.convertLinearToSRGB();"
        "return [length, c.toArray()] })()"
    )
    return out[0], out[1]


@pytest.mark.parametrize("size", [(390, 800), (900, 600), (1280, 760), (2200, 1200)])
def test_nothing_is_written_over_something_else(
    size: tuple[int, int], window: Window, exported: Callable[[str], Exported]
) -> None:
    """Of all runs the sky crane has the most to say."""
    window.page.set_viewport_size({"width": size[0], "height": size[1]})
    opened(window, exported("crane"))
    window.shot(f"crane-{size[0]}")
    parts: Any = window.value(
        "['#facts', '#tools', '#legend', '#scale', '#compass'].map(s => { const b = document.querySelector(s)"
        ".getBoundingClientRect(); return [s, b.left, b.top, b.right, b.bottom] })"
    )
    for one, other in combinations(parts, 2):
        across = min(one[3], other[3]) - max(one[1], other[1])
        down = min(one[4], other[4]) - max(one[2], other[2])
        assert across <= 0 or down <= 0, (one, other)


def test_the_letters_of_the_axes_do_not_lie_over_each_other(
    window: Window, exported: Callable[[str], Exported]
) -> None:
    """From every camera, and from straight above, where up points at the eye; and all of them are inside."""
    opened(window, exported("drop"))
    for camera in ("overview", "side", "above", "close"):
        window.page.select_option("#camera", camera)
        window.value("planetfall.drawNow()")
        boxes: Any = window.value(
            "[...document.querySelectorAll('#compass text')].map(t => { const b = t.getBBox(); "
            "return [b.x, b.y, b.x + b.width, b.y + b.height, t.textContent]; })"
        )
        assert sorted(box[4] for box in boxes) == ["E", "N", "up"]
        for one, other in combinations(boxes, 2):
            over = [min(one[k + 2], other[k + 2]) - max(one[k], other[k]) for k in (0, 1)]
            assert min(over) <= 1.0, (camera, one, other)  # of 50 from the middle to the edge
        assert all(box[0] >= -50 and box[2] <= 50 for box in boxes), (camera, boxes)


def test_a_vehicle_has_the_colours_of_its_drawing(window: Window, exported: Callable[[str], Exported]) -> None:
    """As many facets as the drawing has, each with a colour of its own."""
    made = exported("drop")
    opened(window, made)
    mesh = "planetfall.view.vehicles.bodies[0].children[0]"
    drawn = drawn_parts(made.trajectory.scenario.vehicle.drawing)
    assert window.value(f"{mesh}.geometry.attributes.color.count") == 3 * len(drawn.facets)
    assert window.value(f"{mesh}.material.vertexColors") is True
