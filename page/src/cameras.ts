// Where one looks from: presets, following the vehicle, aboard a sensor, and how deep the picture reaches.
import { type PerspectiveCamera, Quaternion, type Sphere, Vector3 } from "three";
import type { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { metresPerPixel, northAt } from "./measures";
import type { Replay } from "./replay";

export const PRESETS = ["overview", "close", "side", "above", "ground", "aboard", "descent"] as const;
export type Preset = (typeof PRESETS)[number];

export class Cameras {
  isFollowing = false;
  isAboard = false;
  /** Which body is looked at closely and followed; "close" once more takes the next. */
  body = 0;
  private preset: Preset = "overview";
  /** How far away a descent was last looked at [m]; 0 with any other preset. */
  private nearness = 0;
  onGo: (preset: Preset) => void = () => {};
  private up: Vector3;
  private last = new Vector3();
  private place = new Vector3();
  private turn = new Quaternion();

  constructor(
    private camera: PerspectiveCamera,
    private orbit: OrbitControls,
    private replay: Replay,
    private groundSphere: Sphere,
  ) {
    this.up = new Vector3(...(replay.header.up as [number, number, number]));
    orbit.addEventListener("start", () => (this.isAboard = false));
    this.go("overview");
  }

  /** Presets that make sense for this run. */
  get presets(): Preset[] {
    return PRESETS.filter((preset) => preset !== "aboard" || (this.replay.header.sensors ?? []).some((s) => s.beams.length));
  }

  go(preset: Preset): void {
    const { size } = this.replay.header;
    this.isAboard = preset === "aboard";
    this.isFollowing = preset === "close" || preset === "descent";
    if (preset === "close" && this.preset === "close") this.body = (this.body + 1) % this.replay.nBodies;
    this.preset = preset;
    this.replay.pose(this.body, this.place, this.turn);
    this.last.copy(this.place);
    this.nearness = preset === "descent" ? this.fromEnd() : 0;
    const [middle, reach] = this.track();
    const [ahead, aside] = this.level();
    const back = ahead.clone().negate();
    const oblique = aside.clone().multiplyScalar(-1).addScaledVector(back, 0.35).addScaledVector(this.up, 0.45).normalize();
    const far = Math.max(reach, 2.2 * size);
    if (preset === "overview") this.look(middle, oblique, far * 3.4);
    if (preset === "close") this.look(this.place, oblique, Math.max(6.5 * size, 4.5 * this.replay.openLines()));
    if (preset === "descent") this.look(this.place, oblique, this.nearness);
    if (preset === "side") this.look(middle, aside.clone().negate().addScaledVector(this.up, 0.04).normalize(), far * 2.7);
    if (preset === "above") this.look(middle, this.up.clone().addScaledVector(this.north(), -1e-3).normalize(), far * 2.7);
    if (preset === "ground") {
      const towards = this.up.clone().addScaledVector(aside, -0.6).normalize();
      this.look(this.groundSphere.center, towards, 2.6 * this.groundSphere.radius);
    }
    this.onGo(preset);
    this.replay.playback.changed();
  }

  /** Looks from where another looks, whose scene counts its places from elsewhere: `shift` [m] from here. */
  takeOver(other: Cameras, shift: Vector3): void {
    this.camera.position.copy(other.camera.position).add(shift);
    this.orbit.target.copy(other.orbit.target).add(shift);
    this.orbit.update();
    this.isFollowing = other.isFollowing;
    this.isAboard = other.isAboard;
    this.nearness = other.nearness;
    this.body = other.body;
    this.replay.pose(this.body, this.last, this.turn);
  }

  /** Keeps the vehicle where it is in the picture. */
  follow(): void {
    if (!this.isFollowing) return;
    this.replay.pose(this.body, this.place, this.turn);
    const moved = this.place.clone().sub(this.last);
    if (moved.lengthSq() === 0) return;
    this.camera.position.add(moved);
    this.orbit.target.add(moved);
    this.last.copy(this.place);
    if (this.nearness > 0) {
      const nearness = this.fromEnd();
      this.camera.position.sub(this.orbit.target).multiplyScalar(nearness / this.nearness).add(this.orbit.target);
      this.nearness = nearness;
    }
    this.orbit.update();
  }

  /** From where to look at a descent [m]: nearer as the vehicle nears the place where its run ends, never too near. */
  private fromEnd(): number {
    const { position } = this.replay.arrays;
    const n = this.replay.nBodies;
    const end = new Vector3().fromArray(position, position.length - 3 * (n - this.body));
    return Math.max(0.8 * this.place.distanceTo(end), 6.5 * this.replay.header.size);
  }

  setFollowing(isFollowing: boolean): void {
    this.isFollowing = isFollowing;
    this.replay.pose(this.body, this.last, this.turn);
    if (isFollowing) {
      const moved = this.last.clone().sub(this.orbit.target);
      this.camera.position.add(moved);
      this.orbit.target.add(moved);
      this.orbit.update();
    }
    this.replay.playback.changed();
  }

  /** Moves the camera with the first sensor that has beams, looking along their mean. */
  aboard(): void {
    const sensor = (this.replay.header.sensors ?? []).find((s) => s.beams.length);
    if (!this.isAboard || !sensor) return;
    this.replay.pose(sensor.body, this.place, this.turn);
    const eye = new Vector3(...(sensor.position as [number, number, number])).applyQuaternion(this.turn).add(this.place);
    const along = new Vector3();
    for (const beam of sensor.beams) along.add(new Vector3(...(beam as [number, number, number])));
    if (along.lengthSq() < 1e-6) along.fromArray(sensor.beams[0]);
    along.applyQuaternion(this.turn).normalize();
    this.camera.position.copy(eye);
    this.camera.lookAt(eye.clone().add(along));
    this.orbit.target.copy(eye).addScaledVector(along, 5 * this.replay.header.size);
  }

  /** Near and far planes for the present distance: a vehicle of centimetres on a body of kilometres has to be drawn. */
  setDepth(): void {
    const { size } = this.replay.header;
    const distance = this.camera.position.distanceTo(this.orbit.target);
    const toGround = this.camera.position.distanceTo(this.groundSphere.center) + this.groundSphere.radius;
    this.camera.near = Math.max(1e-3 * size, Math.min(0.02 * distance, 0.5 * size + 0.005 * distance));
    this.camera.far = Math.max(20 * distance, 1.5 * toGround);
    this.camera.updateProjectionMatrix();
  }

  /** Direction of a lamp over the shoulder, for runs without a sun. */
  lamp(): Vector3 {
    const [ahead, aside] = this.level();
    return this.up.clone().multiplyScalar(0.72).addScaledVector(aside, -0.42).addScaledVector(ahead, -0.55).normalize();
  }

  /** Metres that a pixel shows at the distance of the target. */
  perPixel(height: number): number {
    return metresPerPixel(this.camera, this.camera.position.distanceTo(this.orbit.target), height);
  }

  north(): Vector3 {
    return northAt(this.replay.header.frame, this.up);
  }

  private look(at: Vector3, from: Vector3, distance: number): void {
    this.orbit.target.copy(at);
    this.camera.position.copy(at).addScaledVector(from, distance / Math.min(1, Math.max(this.camera.aspect, 0.5)));
    this.orbit.update();
  }

  /** Middle and half the size of the way travelled. */
  private track(): [Vector3, number] {
    const { position } = this.replay.arrays;
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = low.clone().negate();
    const place = new Vector3();
    for (let i = 0; i < position.length; i += 3) {
      place.fromArray(position, i);
      low.min(place);
      high.max(place);
    }
    return [low.clone().add(high).multiplyScalar(0.5), 0.5 * high.distanceTo(low) + this.replay.header.size];
  }

  /** Unit vectors across the vertical: along the way travelled (north, if it went straight down), and to its left. */
  private level(): [Vector3, Vector3] {
    const { position } = this.replay.arrays;
    const n = this.replay.nBodies;
    const last = 3 * n * (position.length / (3 * n) - 1);
    const way = new Vector3().fromArray(position, last).sub(this.place.clone().fromArray(position, 0));
    way.addScaledVector(this.up, -way.dot(this.up));
    const ahead = way.length() > 0.2 * this.replay.header.size ? way.normalize() : this.north();
    return [ahead, this.up.clone().cross(ahead)];
  }
}
