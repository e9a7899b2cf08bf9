// Shapes of marks, in the order of planetfall.report.campaign.ensemble_figures.MARKS: outcomes are told apart without colour.
import { CanvasTexture } from "three";

/** Outlines in a square from -1 to 1, y upward. */
const OUTLINES: [number, number][][] = [
  ring(24, 0.82),
  [[-0.72, -0.72], [0.72, -0.72], [0.72, 0.72], [-0.72, 0.72]],
  [[-0.85, -0.7], [0.85, -0.7], [0, 0.85]],
  [[0, -0.95], [0.8, 0], [0, 0.95], [-0.8, 0]],
  [[-0.85, 0.7], [0.85, 0.7], [0, -0.85]],
  cross(0),
  cross(Math.PI / 4),
  star(),
]; // prettier-ignore

export const N_MARKS = OUTLINES.length;

function ring(n: number, radius: number): [number, number][] {
  return Array.from({ length: n }, (_, i) => [radius * Math.cos((2 * Math.PI * i) / n), radius * Math.sin((2 * Math.PI * i) / n)]);
}

function cross(turn: number): [number, number][] {
  const [a, b] = [0.3, 0.9];
  const corners = [[a, b], [a, a], [b, a], [b, -a], [a, -a], [a, -b], [-a, -b], [-a, -a], [-b, -a], [-b, a], [-a, a], [-a, b]]; // prettier-ignore
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  return corners.map(([x, y]) => [c * x - s * y, s * x + c * y]);
}

function star(): [number, number][] {
  return Array.from({ length: 10 }, (_, i) => {
    const radius = i % 2 ? 0.42 : 0.98;
    const angle = Math.PI / 2 + (i * Math.PI) / 5;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** A mark for points: white with a dark rim, to be multiplied by a colour. */
export function sprite(index: number): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 32;
  const pen = canvas.getContext("2d")!;
  pen.beginPath();
  for (const [x, y] of OUTLINES[index % N_MARKS]) pen.lineTo(16 + 14 * x, 16 - 14 * y);
  pen.closePath();
  pen.fillStyle = "#ffffff";
  pen.strokeStyle = "#1a1a1a";
  pen.lineWidth = 3;
  pen.fill();
  pen.stroke();
  return new CanvasTexture(canvas);
}

/** A mark for legends. */
export function sign(index: number, color: string): SVGElement {
  const out = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  out.setAttribute("viewBox", "-1 -1 2 2");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
  shape.setAttribute("points", OUTLINES[index % N_MARKS].map(([x, y]) => `${x},${-y}`).join(" "));
  shape.setAttribute("fill", color);
  out.append(shape);
  return out;
}
