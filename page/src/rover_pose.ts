// A rover at the present time, as the drawings beside the scene need it: places in metres from the scene's origin.
import { Quaternion, Vector3 } from "three";
import type { Stretch } from "./data";
import type { Replay } from "./replay";

export const WHEELS = ["rear right", "middle right", "front right", "rear left", "middle left", "front left"];
const MIDDLE = [1, 4];

export class RoverPose {
  readonly joints = [0, 1, 2, 3].map(() => new Vector3());
  readonly wheels = WHEELS.map(() => new Vector3());
  readonly contacts = WHEELS.map(() => new Vector3());
  readonly center = new Vector3();
  readonly heading = new Vector3(1, 0, 0);
  readonly middle = new Vector3();
  distance = 0;
  private turn = new Quaternion();

  constructor(private replay: Replay) {}

  update(): void {
    const { replay } = this;
    this.joints.forEach((joint, i) => replay.vector("joint", i, 4, joint));
    this.wheels.forEach((wheel, i) => replay.vector("wheel", i, 6, wheel));
    this.contacts.forEach((contact, i) => replay.point(i, contact));
    replay.pose(0, this.center, this.turn);
    this.heading.set(1, 0, 0).applyQuaternion(this.turn).setZ(0).normalize();
    this.middle.set(0, 0, 0);
    for (const i of MIDDLE) this.middle.addScaledVector(this.wheels[i], 1 / MIDDLE.length);
    const [a, b, share] = replay.between();
    const [from, to] = [a, b].map((frame) => replay.value("distance", 0, frame));
    this.distance = from + share * (to - from);
  }

  get stretch(): Stretch {
    return this.replay.stretch;
  }

  /** Distance along the path [m] of a place near the rover. */
  along(place: Vector3): number {
    return this.distance + (place.x - this.middle.x) * this.heading.x + (place.y - this.middle.y) * this.heading.y;
  }

  /** Ends of a link of the rover, from its header. */
  end(array: string, index: number): Vector3 {
    return array === "joint" ? this.joints[index] : array === "wheel" ? this.wheels[index] : this.center;
  }
}

/** Corners of the convex hull of places seen from above, anticlockwise. */
export function hullFromAbove(places: Vector3[]): Vector3[] {
  const sorted = [...places].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (ordered: Vector3[]): Vector3[] => {
    const out: Vector3[] = [];
    for (const p of ordered) {
      while (out.length > 1 && turns(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function turns(a: Vector3, b: Vector3, c: Vector3): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
