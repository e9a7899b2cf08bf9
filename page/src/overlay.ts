// What is written over the scene: what one sees, how large it is, where north lies.
import { Vector3 } from "three";
import { digitsOf } from "./bar";
import { BEAM } from "./beams";
import { make, shown } from "./dom";
import { Compass, lengthText, ScaleBar } from "./measures";
import { FORCE, FRICTION, MODE_COLORS } from "./palette";
import type { Replay } from "./replay";
import type { View } from "./view";

const MODE_SIGNS = ["●", "■", "▲"];

export class Overlay {
  readonly element = make("div", { id: "overlay" });
  private facts = make("div", { id: "facts" });
  private scale = new ScaleBar();
  private arrow = make("span");
  private grid = make("span", { className: "quiet", id: "grid-step" });
  private compass: Compass;

  constructor(
    private replay: Replay,
    private view: View,
  ) {
    const { frame, turn, up } = replay.header;
    this.compass = new Compass(frame, new Vector3(...(up as [number, number, number])), turn);
    this.element.append(this.facts, this.legend(), this.scale.element, this.compass.element);
  }

  update(width: number, height: number): void {
    this.writeFacts();
    this.scale.update(this.view.cameras.perPixel(height), width);
    this.compass.update(this.view.camera);
    const strength = 1 / (this.view.contacts.perNewton * this.view.contacts.strength);
    this.arrow.textContent = `force, 1 m = ${shown(strength)} N; white: longer than drawn`;
    const { step } = this.view.grid;
    this.grid.textContent = step > 0 ? `lines every ${lengthText(step)}` : "";
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
    if (this.replay.variable("friction_force")) out.append(entry("↑", FRICTION, "friction"));
    if (header.tethers.length) {
      const bar = make("i", { className: "ramp" });
      out.append(make("span", {}, bar, `tension 0 to ${shown(this.view.tethers.most)} N; pink, hanging: slack`));
    }
    if (header.sensors?.some((sensor) => sensor.beams.length)) out.append(entry("―", BEAM, "beams; grey: no return"));
    if (!header.sun) out.append(make("span", { className: "quiet", textContent: "lit by a lamp, no sun given" }));
    out.append(this.grid);
    return out;
  }

  private writeFacts(): void {
    const { playback, header } = this.replay;
    const lines = [`t = ${playback.time.toFixed(digitsOf(playback))} s`];
    header.bodies.forEach((body, i) => {
      const speed = Math.hypot(...[0, 1, 2].map((axis) => this.replay.value("velocity", 3 * i + axis)));
      const height = this.replay.value("altitude", i); // NaN without air
      const found = [`${shown(speed)} m/s`, ...(Number.isFinite(height) ? [lengthText(height)] : [])];
      const words = ["speed ", "altitude "];
      if (header.bodies.length > 1) lines.push(`${body.name}: ${found.join(", ")}`);
      else lines.push(found.map((text, k) => words[k] + text).join(", "));
    });
    if (header.points.length) {
      const modes = header.points.map((_, i) => this.replay.mode(i));
      const counts = header.modes.map((name, mode) => `${modes.filter((m) => m === mode).length} ${name}`);
      lines.push(counts.join(", "));
    }
    const phase = this.phase();
    if (phase) lines.push(phase);
    this.facts.textContent = lines.join("\n");
  }

  /** What the controller is doing, where there is one. */
  private phase(): string {
    const names = this.replay.variable("phase")?.states;
    return names ? (names[this.replay.value("phase", 0)] ?? "") : "";
  }
}
