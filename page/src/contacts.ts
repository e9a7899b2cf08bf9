// Contact points by mode, and the forces at them.
import { BoxGeometry, ConeGeometry, type InstancedMesh, Matrix4, Object3D, Quaternion, SphereGeometry, Vector3 } from "three";
import { Arrows, hide, instances } from "./glyphs";
import { FORCE, FRICTION, MODE_COLORS } from "./palette";
import type { Replay } from "./replay";

const LONGEST = 4; // arrow, in sizes of the vehicle

export class Contacts {
  readonly markers = new Object3D();
  readonly arrows = new Object3D();
  /** Metres of an arrow per newton. */
  perNewton: number;
  strength = 1;
  private longest: number;
  private byMode: InstancedMesh[];
  private forces: Arrows;
  private frictions: Arrows;
  private matrix = new Matrix4();
  private place = new Vector3();
  private vector = new Vector3();
  private up: Quaternion;

  constructor(private replay: Replay) {
    const { size, up } = replay.header;
    const r = 0.05 * size;
    const shapes = [
      new SphereGeometry(0.8 * r, 14, 10),
      new BoxGeometry(1.7 * r, 1.7 * r, 1.7 * r),
      new ConeGeometry(1.25 * r, 2.2 * r, 14),
    ];
    this.byMode = shapes.map((shape, mode) => instances(shape, MODE_COLORS[mode], replay.nPoints));
    this.markers.add(...this.byMode);
    this.forces = new Arrows(replay.nPoints, FORCE, 0.022 * size);
    this.frictions = new Arrows(replay.nBodies, FRICTION, 0.022 * size);
    this.arrows.add(this.forces.object, this.frictions.object);
    this.perNewton = arrowScale(replay);
    replay.onGrowth(() => (this.perNewton = arrowScale(replay)));
    this.longest = LONGEST * size;
    this.up = new Quaternion().setFromUnitVectors(
      new Vector3(0, 1, 0),
      new Vector3(...(up as [number, number, number])),
    );
  }

  update(): void {
    const scale = this.perNewton * this.strength;
    for (let i = 0; i < this.replay.nPoints; i++) {
      this.replay.point(i, this.place);
      const mode = this.replay.mode(i);
      this.byMode.forEach((mesh, k) => {
        if (k !== mode || !Number.isFinite(this.place.x)) hide(mesh, i);
        else mesh.setMatrixAt(i, this.matrix.makeRotationFromQuaternion(this.up).setPosition(this.place));
        mesh.instanceMatrix.needsUpdate = true;
      });
      this.draw(this.forces, i, this.place, this.read("contact_force", i).multiplyScalar(scale));
    }
    for (let body = 0; body < this.replay.nBodies; body++) {
      const force = this.read("friction_force", body).multiplyScalar(scale);
      const at = this.read("application_point", body, this.place);
      const [x, y, z] = this.replay.header.origin;
      this.draw(this.frictions, body, at.sub(new Vector3(x, y, z)), force);
    }
  }

  /** An arrow no longer than the picture can use; one that was cut short is white. */
  private draw(arrows: Arrows, index: number, from: Vector3, vector: Vector3): void {
    const isCut = vector.length() > this.longest;
    arrows.set(index, from, isCut ? vector.setLength(this.longest) : vector, isCut);
  }

  private read(name: string, index: number, out = this.vector): Vector3 {
    const part = (axis: number) => this.replay.value(name, 3 * index + axis);
    out.set(part(0), part(1), part(2));
    return Number.isFinite(out.x + out.y + out.z) ? out : out.set(0, 0, 0);
  }
}

/** Arrows somewhat shorter than the vehicle for a usual force, and less where most of the large ones would be cut. */
function arrowScale(replay: Replay): number {
  const variable = replay.variable("contact_normal_force");
  if (!variable) return 1;
  const largest: number[] = [];
  const n = variable.columns.length;
  for (let i = 0; i < replay.playback.times.length; i++) {
    let most = 0;
    for (let j = 0; j < n; j++) most = Math.max(most, replay.value("contact_normal_force", j, i) || 0);
    if (most > 0) largest.push(most);
  }
  if (!largest.length) return 1;
  largest.sort((a, b) => a - b);
  const usual = largest[largest.length >> 1];
  const size = replay.header.size;
  const large = largest[Math.floor(0.95 * largest.length)];
  return Math.min((0.8 * size) / usual, (LONGEST * size) / large);
}
