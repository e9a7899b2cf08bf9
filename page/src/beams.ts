// Beams of the sensors: to a spot where they last met the ground, or a short stub where nothing came back.
import { BufferAttribute, BufferGeometry, Object3D, Points, PointsMaterial, Quaternion, Vector3 } from "three";
import { indexAt, type Sensor } from "./data";
import { Rods } from "./glyphs";
import type { Replay } from "./replay";

export const BEAM = "#56B4E9";
const RETURN: [number, number, number] = [0.34, 0.71, 0.91];
const NOTHING: [number, number, number] = [0.47, 0.47, 0.47];

export class Beams {
  readonly object = new Object3D();
  private sensors: { sensor: Sensor; rods: Rods }[];
  private spots: Points;
  private ends: BufferAttribute;
  private from = new Vector3();
  private to = new Vector3();
  private turn = new Quaternion();

  constructor(private replay: Replay) {
    const { size, sensors } = replay.header;
    this.sensors = (sensors ?? []).map((sensor) => ({ sensor, rods: new Rods(sensor.beams.length, 0.006 * size) }));
    for (const { rods } of this.sensors) this.object.add(rods.object);
    const count = this.sensors.reduce((sum, { sensor }) => sum + sensor.beams.length, 0);
    this.ends = new BufferAttribute(new Float32Array(3 * count), 3);
    const material = new PointsMaterial({ color: BEAM, size: 9, sizeAttenuation: false, depthTest: false });
    this.spots = new Points(new BufferGeometry().setAttribute("position", this.ends), material);
    this.spots.frustumCulled = false;
    this.spots.renderOrder = 1;
    this.object.add(this.spots);
  }

  update(): void {
    let returns = 0;
    for (const { sensor, rods } of this.sensors) {
      sensor.beams.forEach((beam, i) => {
        this.replay.pose(sensor.body, this.from, this.turn);
        this.to.fromArray(sensor.position).applyQuaternion(this.turn);
        this.from.add(this.to);
        const range = this.range(sensor);
        const length = Number.isFinite(range) ? range : 2 * this.replay.header.size;
        this.to.fromArray(beam).applyQuaternion(this.turn).multiplyScalar(length).add(this.from);
        rods.set(i, this.from, this.to, Number.isFinite(range) ? RETURN : NOTHING);
        if (Number.isFinite(range)) this.ends.setXYZ(returns++, this.to.x, this.to.y, this.to.z);
      });
    }
    this.ends.needsUpdate = true;
    this.spots.geometry.setDrawRange(0, returns);
  }

  /** Last range that an altimeter read; NaN without return, and for sensors that do not measure ranges. */
  private range(sensor: Sensor): number {
    const variable = this.replay.variable(sensor.name);
    if (sensor.kind !== "altimeter" || !variable) return NaN;
    const times = this.replay.arrays[`time.${variable.time}`];
    if (!times || times[0] > this.replay.playback.time) return NaN;
    return this.replay.value(sensor.name, 0, indexAt(times, this.replay.playback.time));
  }
}
