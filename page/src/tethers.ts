// Tethers: straight and coloured by tension while taut, hanging while slack, gone once cut.
import { Quaternion, Vector3 } from "three";
import { Rods } from "./glyphs";
import { ramp } from "./palette";
import type { Replay } from "./replay";

const SEGMENTS = 20;
const SLACK: [number, number, number] = [0.8, 0.47, 0.65]; // as palette.FRICTION: no colour of the ramp

export class Tethers {
  readonly rods: Rods;
  most = 0;
  private ends = [new Vector3(), new Vector3()];
  private turn = new Quaternion();
  private places = Array.from({ length: SEGMENTS + 1 }, () => new Vector3());
  private down: Vector3;
  private along = new Vector3();
  private bend = new Vector3();

  constructor(private replay: Replay) {
    const { tethers, size, up } = replay.header;
    this.rods = new Rods(tethers.length * SEGMENTS, 0.014 * size);
    this.down = new Vector3(...(up as [number, number, number])).negate();
    this.scale();
    replay.onGrowth(() => this.scale());
  }

  private scale(): void {
    this.most = 0;
    for (let i = 0; i < this.replay.playback.times.length; i++) {
      this.replay.header.tethers.forEach((_, k) => (this.most = Math.max(this.most, this.replay.value("tether_tension", k, i) || 0)));
    }
  }

  update(): void {
    const { tethers } = this.replay.header;
    tethers.forEach((tether, k) => {
      const isCut = this.replay.value("tether_cut", k) > 0;
      tether.bodies.forEach((body, end) => {
        this.replay.pose(body, this.places[0], this.turn);
        const arm = tether.points[end] as [number, number, number];
        this.ends[end].set(...arm).applyQuaternion(this.turn).add(this.places[0]);
      });
      const tension = this.replay.value("tether_tension", k);
      this.hang(tension > 0 ? 0 : this.replay.value("tether_rest_length", k));
      const color = tension > 0 ? ramp(0.15 + 0.85 * (tension / this.most)) : SLACK;
      for (let i = 0; i < SEGMENTS; i++) {
        if (isCut) this.rods.hide(k * SEGMENTS + i);
        else this.rods.set(k * SEGMENTS + i, this.places[i], this.places[i + 1], color);
      }
    });
  }

  /** A parabola between the ends with about a length [m]; straight where that is no longer than their distance.
   *
   * It bends across the line between the ends, to where down is; below a steep line, down itself would not show. */
  private hang(length: number): void {
    const [a, b] = this.ends;
    const span = a.distanceTo(b);
    const sag = length > span ? Math.sqrt((3 / 8) * span * (length - span)) : 0;
    this.along.subVectors(b, a).normalize();
    this.bend.copy(this.down).addScaledVector(this.along, -this.down.dot(this.along));
    if (this.bend.lengthSq() < 1e-8) this.bend.set(1, 0, 0).addScaledVector(this.along, -this.along.x);
    this.bend.normalize();
    this.places.forEach((place, i) => {
      const share = i / SEGMENTS;
      place.lerpVectors(a, b, share).addScaledVector(this.bend, 4 * sag * share * (1 - share));
    });
  }
}
