// Parachutes: half a ball on lines, as wide as the recorded load says, standing against the vehicle's velocity.
import { DoubleSide, Mesh, MeshLambertMaterial, Object3D, Quaternion, SphereGeometry, Vector3 } from "three";
import { Rods } from "./glyphs";
import type { Replay } from "./replay";

const N_LINES = 12;
const HEIGHT = 0.7; // of a canopy over its half width
const CLOTH = "#e8823a";
const LINE: [number, number, number] = [0.85, 0.85, 0.85];
const UP = new Vector3(0, 1, 0);

export class Parachutes {
  readonly object = new Object3D();
  private canopies: Mesh[];
  private lines: Rods;
  private foot = new Vector3();
  private mouth = new Vector3();
  private rim = new Vector3();
  private axis = new Vector3();
  private turn = new Quaternion();

  constructor(private replay: Replay) {
    const parachutes = replay.header.parachutes ?? [];
    const widest = Math.max(0, ...parachutes.map((parachute) => parachute.length));
    this.lines = new Rods(parachutes.length * N_LINES, 0.0005 * widest);
    const shape = new SphereGeometry(1, 32, 10, 0, 2 * Math.PI, 0, Math.PI / 2);
    const cloth = new MeshLambertMaterial({ color: CLOTH, side: DoubleSide });
    this.canopies = parachutes.map(() => new Mesh(shape, cloth));
    this.object.add(this.lines.object, ...this.canopies);
  }

  update(): void {
    const parachutes = this.replay.header.parachutes ?? [];
    parachutes.forEach((parachute, k) => {
      this.replay.vector("canopy", k, parachutes.length, this.axis);
      const half = 0.5 * this.axis.length();
      const canopy = this.canopies[k];
      canopy.visible = half > 0;
      if (!canopy.visible) {
        for (let i = 0; i < N_LINES; i++) this.lines.hide(k * N_LINES + i);
        return;
      }
      this.axis.divideScalar(2 * half);
      this.replay.pose(parachute.body, this.mouth, this.turn);
      this.foot.fromArray(parachute.attachment).applyQuaternion(this.turn).add(this.mouth);
      this.mouth.copy(this.foot).addScaledVector(this.axis, parachute.length);
      this.turn.setFromUnitVectors(UP, this.axis);
      canopy.position.copy(this.mouth);
      canopy.quaternion.copy(this.turn);
      canopy.scale.set(half, HEIGHT * half, half);
      for (let i = 0; i < N_LINES; i++) {
        const angle = (2 * Math.PI * i) / N_LINES;
        this.rim.set(half * Math.cos(angle), 0, half * Math.sin(angle)).applyQuaternion(this.turn).add(this.mouth);
        this.lines.set(k * N_LINES + i, this.foot, this.rim, LINE);
      }
    });
  }
}
