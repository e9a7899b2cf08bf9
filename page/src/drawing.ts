// A small drawing to scale: a canvas, and where metres are on it.
import { make } from "./dom";

export class Drawing {
  readonly element = make("canvas", { className: "drawing" });
  readonly pen = this.element.getContext("2d")!;
  width = 0;
  height = 0;
  private scale = 1;
  private at: [number, number] = [0, 0];

  constructor(label: string) {
    this.element.setAttribute("role", "img");
    this.element.ariaLabel = label;
    this.element.title = label;
  }

  /** Clears the canvas and puts a place into its middle, so that `span` metres fit both ways. */
  begin(x: number, y: number, span: [number, number]): void {
    const { clientWidth, clientHeight } = this.element;
    [this.width, this.height] = [clientWidth, clientHeight];
    const ratio = devicePixelRatio;
    if (this.element.width !== Math.round(this.width * ratio)) this.element.width = Math.round(this.width * ratio);
    if (this.element.height !== Math.round(this.height * ratio)) this.element.height = Math.round(this.height * ratio);
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.clearRect(0, 0, this.width, this.height);
    this.scale = Math.min(this.width / span[0], this.height / span[1]);
    this.at = [x, y];
  }

  /** Pixels per metre. */
  get perMetre(): number {
    return this.scale;
  }

  /** Half of what is seen [m], across and up. */
  get half(): [number, number] {
    return [this.width / 2 / this.scale, this.height / 2 / this.scale];
  }

  x(metres: number): number {
    return this.width / 2 + (metres - this.at[0]) * this.scale;
  }

  y(metres: number): number {
    return this.height / 2 - (metres - this.at[1]) * this.scale;
  }

  line(points: [number, number][], color: string, width: number, dash: number[] = []): void {
    const { pen } = this;
    this.trace(points);
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.lineCap = pen.lineJoin = "round";
    pen.setLineDash(dash);
    pen.stroke();
    pen.setLineDash([]);
  }

  area(points: [number, number][], fill: string, edge?: string, width = 1): void {
    this.trace(points);
    this.pen.closePath();
    this.pen.fillStyle = fill;
    this.pen.fill();
    if (!edge) return;
    this.pen.strokeStyle = edge;
    this.pen.lineWidth = width;
    this.pen.stroke();
  }

  circle(x: number, y: number, radius: number, fill: string, edge: string, width = 1): void {
    const { pen } = this;
    pen.beginPath();
    pen.arc(this.x(x), this.y(y), radius, 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
    pen.strokeStyle = edge;
    pen.lineWidth = width;
    pen.stroke();
  }

  /** The sign of a centre of mass: a disc in quarters, black and white. */
  centreOfMass(x: number, y: number, radius = 6): void {
    const { pen } = this;
    this.circle(x, y, radius, "#ffffff", "#000000", 1.2);
    pen.fillStyle = "#000000";
    for (const turn of [0, Math.PI]) {
      pen.beginPath();
      pen.moveTo(this.x(x), this.y(y));
      pen.arc(this.x(x), this.y(y), radius, turn, turn + Math.PI / 2);
      pen.fill();
    }
  }

  arrow(from: [number, number], to: [number, number], color: string): void {
    const [dx, dy] = [this.x(to[0]) - this.x(from[0]), this.y(to[1]) - this.y(from[1])];
    const length = Math.hypot(dx, dy);
    if (length < 4) return;
    this.line([from, to], color, 2);
    const [ux, uy] = [dx / length, dy / length];
    const tip: [number, number] = [this.x(to[0]), this.y(to[1])];
    const { pen } = this;
    pen.beginPath();
    pen.moveTo(tip[0] + 2 * ux, tip[1] + 2 * uy);
    pen.lineTo(tip[0] - 7 * ux - 4 * uy, tip[1] - 7 * uy + 4 * ux);
    pen.lineTo(tip[0] - 7 * ux + 4 * uy, tip[1] - 7 * uy - 4 * ux);
    pen.fillStyle = color;
    pen.fill();
  }

  text(words: string, left: number, top: number, color = "#1d2329"): void {
    const { pen } = this;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "top";
    pen.lineWidth = 3;
    pen.strokeStyle = "#ffffffcc";
    pen.strokeText(words, left, top);
    pen.fillStyle = color;
    pen.fillText(words, left, top);
  }

  /** A bar of a round length in the corner. */
  scaleBar(): void {
    const wanted = 60 / this.scale;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const length = power * [5, 2, 1].find((digit) => digit * power <= wanted)!;
    const [right, bottom] = [this.width - 8, this.height - 8];
    this.pen.fillStyle = "#1d2329";
    this.pen.fillRect(right - length * this.scale, bottom - 2, length * this.scale, 2);
    this.pen.textAlign = "right";
    this.text(length < 1 ? `${Math.round(100 * length)} cm` : `${length} m`, right, bottom - 16);
    this.pen.textAlign = "left";
  }

  private trace(points: [number, number][]): void {
    this.pen.beginPath();
    points.forEach(([x, y], i) => (i ? this.pen.lineTo(this.x(x), this.y(y)) : this.pen.moveTo(this.x(x), this.y(y))));
  }
}
