// Lines at round coordinates on flat ground, which would show nothing else: several spacings, as the distance asks.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Object3D } from "three";
import type { Pack } from "./data";

const CROWDED = 6; // pixels between lines below which they are left out
const CLEAR = 30; // and from which they are drawn in full
const OPACITY = 0.45;
const PIECES = 40; // software GL loses a line that reaches behind the camera; of many pieces, only one

export class Grid {
  readonly object = new Object3D();
  /** Smallest spacing that is drawn [m]; 0 where there is no grid. */
  step = 0;
  private levels: { step: number; lines: LineSegments<BufferGeometry, LineBasicMaterial> }[] = [];

  constructor(pack: Pack) {
    const ends = pack.arrays.ground_line as Float32Array | undefined;
    let first = 0;
    for (const { step, count } of pack.header.grid ?? []) {
      const part = pieces(ends!.subarray(6 * first, 6 * (first + count)));
      const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(part, 3));
      const material = new LineBasicMaterial({ color: 0x2b261f, transparent: true });
      const lines = new LineSegments(geometry, material);
      this.levels.push({ step, lines });
      this.object.add(lines);
      first += count;
    }
  }

  /** Shows the spacings that can be told apart where a pixel is `perPixel` metres. */
  update(perPixel: number): void {
    this.step = 0;
    for (const { step, lines } of this.levels) {
      const share = (step / perPixel - CROWDED) / (CLEAR - CROWDED);
      lines.visible = share > 0;
      lines.material.opacity = OPACITY * Math.min(share, 1);
      if (lines.visible && this.step === 0) this.step = step;
    }
  }
}

/** The same lines in pieces. */
function pieces(ends: Float32Array): Float32Array {
  const out = new Float32Array(ends.length * PIECES);
  let k = 0;
  for (let i = 0; i < ends.length; i += 6) {
    for (let j = 0; j < 2 * PIECES; j++) {
      const share = ((j + 1) >> 1) / PIECES;
      for (let axis = 0; axis < 3; axis++) out[k++] = ends[i + axis] + share * (ends[i + 3 + axis] - ends[i + axis]);
    }
  }
  return out;
}
