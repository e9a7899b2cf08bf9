// What tells size and direction in a scene: the bar of a round length, and the axes of the surface frame.
import { type PerspectiveCamera, Vector3 } from "three";
import { make, shown } from "./dom";

const LENGTH = 32; // of an arm of the compass, of 50 from its middle to its edge
const [WIDE, HIGH] = [20, 14]; // of a label there
const ROUNDS = 20;
const SVG = "http://www.w3.org/2000/svg";

/** Metres that a pixel shows at a distance from a camera. */
export function metresPerPixel(camera: PerspectiveCamera, distance: number, height: number): number {
  return (2 * distance * Math.tan((camera.fov * Math.PI) / 360)) / height;
}

/** A length [m] in words. */
export function lengthText(length: number): string {
  const size = Math.abs(length);
  const [value, unit] = size >= 1000 ? [length / 1000, "km"] : size < 0.01 ? [length * 1000, "mm"] : [length, "m"];
  return `${shown(value)} ${unit}`;
}

/** True north at a place: towards the pole of a body; of a site, off its y axis by that axis's azimuth `turn` [rad], or y. */
export function northAt(frame: string, up: Vector3, turn = 0): Vector3 {
  const axis = new Vector3(0, 0, 1);
  const pole = frame === "L" ? new Vector3(0, 1, 0).applyAxisAngle(axis, turn) : axis;
  const out = pole.addScaledVector(up, -pole.dot(up));
  return out.lengthSq() > 1e-12 ? out.normalize() : new Vector3(1, 0, 0);
}

/** A bar of a round length, right at the distance of the camera's target. */
export class ScaleBar {
  readonly element = make("div", { id: "scale" });
  private rule = make("div", { className: "rule" });
  private text = make("span");

  constructor() {
    this.element.append(this.rule, this.text);
  }

  update(perPixel: number, width: number): void {
    const wanted = perPixel * Math.min(160, 0.25 * width);
    const power = 10 ** Math.floor(Math.log10(wanted));
    const length = power * [5, 2, 1].find((digit) => digit * power <= wanted)!;
    this.rule.style.width = `${length / perPixel}px`;
    this.text.textContent = lengthText(length);
  }
}

/** East, north and up as they lie in the picture. */
export class Compass {
  readonly element = document.createElementNS(SVG, "svg");
  private axes: { name: string; color: string; along: Vector3 }[];

  constructor(frame: string, up: Vector3, turn: number | undefined) {
    this.element.id = "compass";
    this.element.setAttribute("viewBox", "-50 -50 100 100");
    this.element.setAttribute("role", "img");
    this.element.setAttribute("aria-label", "East, north and up");
    const north = northAt(frame, up, turn);
    this.axes = [
      { name: "E", color: "#D55E00", along: north.clone().cross(up) },
      { name: "N", color: "#ffffff", along: north },
      { name: "up", color: "#56B4E9", along: up.clone() },
    ];
  }

  update(camera: PerspectiveCamera): void {
    camera.updateMatrixWorld();
    const turned = this.axes.map((axis) => ({ ...axis, at: axis.along.clone().transformDirection(camera.matrixWorldInverse) }));
    turned.sort((a, b) => a.at.z - b.at.z);
    const arms = turned.map(({ name, color, at }) => ({ name, color, x: LENGTH * at.x, y: -LENGTH * at.y }));
    const labels = apart(arms.map(({ x, y }) => [1.28 * x, 1.28 * y]));
    const lines = arms.map(({ color, x, y }) => piece("line", { x1: 0, y1: 0, x2: x, y2: y, stroke: color, "stroke-width": 2.5 }));
    const texts = arms.map(({ name, color }, i) => {
      const [x, y] = labels[i];
      const text = piece("text", { x, y: y + 4, fill: color, "text-anchor": "middle", "font-size": 13 });
      text.textContent = name;
      return text;
    });
    this.element.replaceChildren(...lines, ...texts);
  }
}

/** Places of labels, moved away from each other, and from the arms' origin, until none lies over another. */
export function apart(places: [number, number][]): [number, number][] {
  const out = places.map(([x, y]): [number, number] => [x, y]);
  for (let round = 0; round < ROUNDS; round++) {
    let isDone = true;
    for (let i = 0; i < out.length; i++) {
      for (let j = 0; j < i; j++) {
        const [dx, dy] = [out[i][0] - out[j][0], out[i][1] - out[j][1]];
        const [over, under] = [WIDE - Math.abs(dx), HIGH - Math.abs(dy)];
        if (over <= 0 || under <= 0) continue;
        isDone = false;
        const axis = over / WIDE < under / HIGH ? 0 : 1; // along which less is missing
        const push = 0.51 * [over, under][axis] * ([dx, dy][axis] < 0 ? -1 : 1);
        out[i][axis] += push;
        out[j][axis] -= push;
      }
    }
    if (isDone) break;
  }
  return out.map(([x, y]) => [clamp(x, 50 - WIDE / 2), clamp(y, 50 - HIGH / 2)]);
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, -most), most);
}

function piece(kind: "line" | "text", values: Record<string, string | number>): SVGElement {
  const out = document.createElementNS(SVG, kind);
  for (const [key, value] of Object.entries(values)) out.setAttribute(key, String(value));
  return out;
}
