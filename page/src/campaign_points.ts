// The landing points of a campaign: one mark per outcome, coloured by outcome or by a number, found under the pointer.
import { BufferAttribute, BufferGeometry, Color, type PerspectiveCamera, Matrix4, Object3D, Points, PointsMaterial } from "three";
import type { Header, Pack } from "./data";
import { sprite } from "./marks";
import { COLORS, FAILURE, ramp } from "./palette";

const UNKNOWN: [number, number, number] = [0.3, 0.3, 0.3];
const MANY = 5000;
const FAILURE_MARKS = [6, 5, 7, 3, 4, 2, 1, 0]; // in the order of ensemble_figures.FAILURE_MARKS
const OTHER_MARKS = [0, 1, 2, 4, 3, 5]; // in the order of OTHER_MARKS

const LARGER = 1.5; // marks of failures against others: they are few, and what one looks for

/** Colour and mark of each outcome of the header's list; as in the report's figures (ensemble_figures.outcome_marks). */
export function outcomeMarks({ outcomes, failed }: Header): { color: string; mark: number; isFailure: boolean }[] {
  const others = COLORS.filter((color) => color !== FAILURE);
  let [good, bad] = [0, 0];
  return outcomes!.map((_, code) => {
    const isFailure = failed?.[code] ?? false;
    return isFailure
      ? { color: FAILURE, mark: FAILURE_MARKS[bad++ % FAILURE_MARKS.length], isFailure }
      : { color: others[good % others.length], mark: OTHER_MARKS[good++ % OTHER_MARKS.length], isFailure };
  });
}

export class CampaignPoints {
  readonly object = new Object3D();
  readonly marks: { color: string; mark: number; isFailure: boolean }[];
  private colors: Float32Array;
  private color: BufferAttribute;
  private matrix = new Matrix4();

  constructor(private pack: Pack) {
    const { arrays, header } = pack;
    this.colors = new Float32Array(arrays.place.length);
    this.color = new BufferAttribute(this.colors, 3);
    const place = new BufferAttribute(arrays.place as Float32Array, 3);
    const size = arrays.run.length > MANY ? 6 : 11;
    this.marks = outcomeMarks(header);
    this.marks.forEach(({ mark, isFailure }, code) => {
      const geometry = new BufferGeometry().setAttribute("position", place).setAttribute("color", this.color);
      const own: number[] = [];
      arrays.outcome.forEach((other, i) => other === code && own.push(i));
      geometry.setIndex(own);
      const material = new PointsMaterial({
        size: (isFailure ? LARGER : 1) * size * Math.min(devicePixelRatio, 2),
        sizeAttenuation: false,
        vertexColors: true,
        map: sprite(mark),
        alphaTest: 0.5,
        depthTest: header.frame === "P", // points behind a body are hidden; on a map, none is lost below the ground
      });
      const points = new Points(geometry, material);
      points.frustumCulled = false;
      points.renderOrder = isFailure ? 2 : 1; // after the ground, which would paint over them; failures last
      this.object.add(points);
    });
  }

  byOutcome(): void {
    const color = new Color();
    this.pack.arrays.outcome.forEach((code, i) => color.set(this.marks[code].color).toArray(this.colors, 3 * i));
    this.color.needsUpdate = true;
  }

  /** Colours by a column; returns its least and largest value. */
  byColumn(name: string): [number, number] {
    const values = this.pack.arrays[`col.${name}`];
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    const color = new Color();
    for (let i = 0; i < values.length; i++) {
      const rgb = Number.isFinite(values[i]) ? ramp((values[i] - low) / (high - low || 1)) : UNKNOWN;
      color.setRGB(rgb[0], rgb[1], rgb[2], "srgb").toArray(this.colors, 3 * i);
    }
    this.color.needsUpdate = true;
    return [low, high];
  }

  /** The run within some pixels of a place on the screen, the foremost if there are several; -1 if there is none. */
  near(x: number, y: number, within: number, camera: PerspectiveCamera, width: number, height: number): number {
    camera.updateMatrixWorld();
    const m = this.matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
    const { place } = this.pack.arrays;
    let found = -1;
    let best = Infinity;
    for (let i = 0; i < place.length; i += 3) {
      const [a, b, c] = [place[i], place[i + 1], place[i + 2]];
      const w = m[3] * a + m[7] * b + m[11] * c + m[15];
      const dx = ((m[0] * a + m[4] * b + m[8] * c + m[12]) / w + 1) * 0.5 * width - x;
      const dy = (1 - (m[1] * a + m[5] * b + m[9] * c + m[13]) / w) * 0.5 * height - y;
      const away = dx * dx + dy * dy;
      if (w <= 0 || away > within * within) continue;
      const rank = w * (1 + away / (within * within)); // near the pointer, and in front
      if (rank < best) [best, found] = [rank, i / 3];
    }
    return found;
  }
}
