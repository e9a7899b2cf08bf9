// What is written over the scene: what one sees, how large it is, where north lies.
import { Vector3 } from "three";
import { digitsOf } from "./bar";
import { make, shown } from "./dom";
import { FORCE, MODE_COLORS } from "./palette";
import type { Replay } from "./replay";
import type { View } from "./view";

const SVG = "http://www.w3.org/2000/svg";
const MODE_SIGNS = ["●", "■", "▲"];

export class Overlay {
  readonly element = make("div", { id: "overlay" });
  private facts = make("div", { id: "facts" });
  private scale = make("div", { id: "scale" });
  private scaleText = make("span");
  private arrow = make("span");
  private compass = document.createElementNS(SVG, "svg");

  constructor(
    private replay: Replay,
    private view: View,
  ) {
    this.compass.id = "compass";
    this.compass.setAttribute("viewBox", "-50 -50 100 100");
    this.compass.setAttribute("role", "img");
    this.compass.setAttribute("aria-label", "Axes of the surface frame");
    this.scale.append(make("div", { className: "rule" }), this.scaleText);
    this.element.append(this.facts, this.legend(), this.scale, this.compass);
  }

  update(width: number, height: number): void {
    this.writeFacts();
    this.drawScale(width, height);
    this.drawCompass();
    const strength = 1 / (this.view.contacts.perNewton * this.view.contacts.strength);
    this.arrow.textContent = `force, 1 m = ${shown(strength)} N`;
  }

  private legend(): HTMLElement {
    const { header } = this.replay;
    const entry = (sign: string, color: string, text: string | Node) => {
      const mark = make("i", { textContent: sign });
      mark.style.color = color;
      return make("span", {}, mark, text);
    };
    const out = make("div", { id: "legend" });
    if (header.points.length) {
      out.append(...header.modes.map((mode, i) => entry(MODE_SIGNS[i], MODE_COLORS[i], mode)));
      out.append(entry("↑", FORCE, this.arrow));
    }
    if (header.tethers.length) {
      const bar = make("i", { className: "ramp" });
      out.append(make("span", {}, bar, `tension 0 to ${shown(this.view.tethers.most)} N; grey and hanging: slack`));
    }
    if (!header.sun) out.append(make("span", { className: "quiet", textContent: "lit by a lamp, no sun given" }));
    return out;
  }

  private writeFacts(): void {
    const { playback, header } = this.replay;
    const modes = header.points.map((_, i) => this.replay.mode(i));
    const counts = header.modes.map((name, mode) => `${modes.filter((m) => m === mode).length} ${name}`);
    const lines = [`t = ${playback.time.toFixed(digitsOf(playback))} s`];
    const speed = Math.hypot(...[0, 1, 2].map((axis) => this.replay.value("velocity", axis)));
    lines.push(`speed ${shown(speed)} m/s`);
    if (header.points.length) lines.push(counts.join(", "));
    this.facts.textContent = lines.join("\n");
  }

  /** A bar of a round length, as long at the distance of the camera's target. */
  private drawScale(width: number, height: number): void {
    const perPixel = this.view.cameras.perPixel(height);
    const wanted = perPixel * Math.min(160, 0.25 * width);
    const power = 10 ** Math.floor(Math.log10(wanted));
    const length = power * [5, 2, 1].find((digit) => digit * power <= wanted)!;
    (this.scale.firstElementChild as HTMLElement).style.width = `${length / perPixel}px`;
    const [value, unit] = length >= 1000 ? [length / 1000, "km"] : length < 0.01 ? [length * 1000, "mm"] : [length, "m"];
    this.scaleText.textContent = `${shown(value)} ${unit}`;
  }

  private drawCompass(): void {
    const { camera, cameras } = this.view;
    const { header } = this.replay;
    const up = new Vector3(...(header.up as [number, number, number]));
    const north = cameras.north();
    const east = north.clone().cross(up);
    const axes: [string, Vector3, string][] = [["E", east, "#D55E00"], ["N", north, "#ffffff"], ["up", up, "#56B4E9"]]; // prettier-ignore
    camera.updateMatrixWorld();
    const turned = axes.map(([name, axis, color]) => ({ name, color, at: axis.clone().transformDirection(camera.matrixWorldInverse) }));
    turned.sort((a, b) => a.at.z - b.at.z);
    this.compass.replaceChildren(
      ...turned.flatMap(({ name, color, at }) => {
        const [x, y] = [34 * at.x, -34 * at.y];
        const line = document.createElementNS(SVG, "line");
        for (const [key, value] of Object.entries({ x1: 0, y1: 0, x2: x, y2: y, stroke: color, "stroke-width": 2.5 })) line.setAttribute(key, String(value));
        const text = document.createElementNS(SVG, "text");
        for (const [key, value] of Object.entries({ x: 1.28 * x, y: 1.28 * y + 4, fill: color, "text-anchor": "middle", "font-size": 13 })) text.setAttribute(key, String(value));
        text.textContent = name;
        return [line, text];
      }),
    );
  }
}
