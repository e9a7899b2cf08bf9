// What tells size and direction in a scene: the bar of a round length, and the axes of the surface frame.
import { type PerspectiveCamera, Vector3 } from "three";
import { make, shown } from "./dom";

const SVG = "http://www.w3.org/2000/svg";

/** Metres that a pixel shows at a distance from a camera. */
export function metresPerPixel(camera: PerspectiveCamera, distance: number, height: number): number {
  return (2 * distance * Math.tan((camera.fov * Math.PI) / 360)) / height;
}

/** A length [m] in words. */
export function lengthText(length: number): string {
  const [value, unit] = length >= 1000 ? [length / 1000, "km"] : length < 0.01 ? [length * 1000, "mm"] : [length, "m"];
  return `${shown(value)} ${unit}`;
}

/** North at a place: along y of a site; towards the pole of a body. */
export function northAt(frame: string, up: Vector3): Vector3 {
  const pole = frame === "L" ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
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

  constructor(frame: string, up: Vector3) {
    this.element.id = "compass";
    this.element.setAttribute("viewBox", "-50 -50 100 100");
    this.element.setAttribute("role", "img");
    this.element.setAttribute("aria-label", "Axes of the surface frame");
    const north = northAt(frame, up);
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
    this.element.replaceChildren(...turned.flatMap(({ name, color, at }) => arm(name, color, 34 * at.x, -34 * at.y)));
  }
}

function arm(name: string, color: string, x: number, y: number): SVGElement[] {
  const line = piece("line", { x1: 0, y1: 0, x2: x, y2: y, stroke: color, "stroke-width": 2.5 });
  const text = piece("text", { x: 1.28 * x, y: 1.28 * y + 4, fill: color, "text-anchor": "middle", "font-size": 13 });
  text.textContent = name;
  return [line, text];
}

function piece(kind: "line" | "text", values: Record<string, string | number>): SVGElement {
  const out = document.createElementNS(SVG, kind);
  for (const [key, value] of Object.entries(values)) out.setAttribute(key, String(value));
  return out;
}
