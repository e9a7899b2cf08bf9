// A run as the scene asks for it: poses between frames by interpolation, forces and modes held.
import { Quaternion, Vector3 } from "three";
import type { Header, Numbers, Pack, Stretch, Variable } from "./data";
import { Growing } from "./growing";
import { contactTimes, Playback } from "./playback";

export class Replay {
  readonly header: Header;
  readonly arrays: Record<string, Numbers>;
  readonly playback: Playback;
  private variables: Map<string, Variable>;
  private loads: { most: number; usual: number } | null = null;
  private growing = new Map<string, Growing>();
  private growthListeners: (() => void)[] = [];
  private arms: Vector3[];
  private arm = new Vector3();
  private turn = new Quaternion();
  private from = new Quaternion();
  private to = new Quaternion();

  constructor(pack: Pack) {
    this.header = pack.header;
    this.arrays = pack.arrays;
    const seen = pack.header.bodies.map(() => 0);
    this.arms = pack.header.points.map(({ body }) => new Vector3().fromArray(pack.header.bodies[body].points[seen[body]++]));
    this.variables = new Map(pack.header.variables.map((variable) => [variable.name, variable]));
    this.playback = new Playback(pack.arrays.time, contactTimes(pack.header, pack.arrays.time, pack.arrays.mode));
  }

  /** Takes in a pack of kind "frames": rows, events and keys of the header in the place of what was there. */
  grow(pack: Pack): void {
    const { header, arrays, playback } = this;
    for (const [name, first] of Object.entries(pack.header.firsts as Record<string, number>)) {
      const growing = this.growing.get(name) ?? new Growing(arrays[name]);
      this.growing.set(name, growing);
      arrays[name] = growing.put(first * pack.widths[name], pack.arrays[name]);
    }
    Object.assign(header, pack.header.header);
    this.variables = new Map(header.variables.map((variable) => [variable.name, variable]));
    this.loads = null;
    if (pack.header.events) header.events.splice(pack.header.first_event as number, Infinity, ...pack.header.events);
    playback.take(arrays.time, contactTimes(header, arrays.time, arrays.mode));
    for (const listener of this.growthListeners) listener();
    playback.changed();
  }

  onGrowth(listener: () => void): void {
    this.growthListeners.push(listener);
  }

  /** The part of a rover's drive that the present frame belongs to. */
  get stretch(): Stretch {
    const { times, frame } = this.playback;
    const { stretches } = this.header.rover!;
    return stretches.findLast((stretch) => stretch.time <= times[frame]) ?? stretches[0];
  }

  /** Largest normal force of a contact point, and the mean over points and frames [N]. */
  get normalForces(): { most: number; usual: number } {
    if (this.loads) return this.loads;
    const values = this.arrays["var.contact_normal_force"] ?? new Float32Array(0);
    let [most, sum, n] = [0, 0, 0];
    const offsets = this.variable("contact_normal_force")?.offsets ?? [0];
    for (let i = 0; i < values.length; i++) {
      const value = values[i] + offsets[i % offsets.length];
      if (!Number.isFinite(value)) continue;
      [most, sum, n] = [Math.max(most, value), sum + value, n + 1];
    }
    this.loads = { most, usual: n ? sum / n : 0 };
    return this.loads;
  }

  get nBodies(): number {
    return this.header.bodies.length;
  }

  get nPoints(): number {
    return this.header.points.length;
  }

  /** Frame before the present time, the one after it, and how far the time is from the one to the other, 0 to 1. */
  between(): [number, number, number] {
    const { times, time, frame } = this.playback;
    const next = Math.min(frame + 1, times.length - 1);
    const span = times[next] - times[frame];
    return [frame, next, span > 0 ? Math.min(Math.max((time - times[frame]) / span, 0), 1) : 0];
  }

  pose(body: number, place: Vector3, turn: Quaternion): void {
    const [a, b, share] = this.between();
    const n = this.nBodies;
    this.mixed(this.arrays.position, a * n + body, b * n + body, share, place);
    const q = this.arrays.quaternion;
    this.from.fromArray(q, 4 * (a * n + body));
    this.to.fromArray(q, 4 * (b * n + body));
    turn.slerpQuaternions(this.from, this.to, share);
  }

  /** Where a contact point is: fixed to its body, or, of a rover, as it was recorded. */
  point(index: number, place: Vector3): void {
    if (!this.arrays.point_position) {
      this.pose(this.header.points[index].body, place, this.turn);
      place.add(this.arm.copy(this.arms[index]).applyQuaternion(this.turn));
      return;
    }
    const [a, b, share] = this.between();
    const n = this.nPoints;
    this.mixed(this.arrays.point_position, a * n + index, b * n + index, share, place);
  }

  /** Row `index` of `width` vectors of any array [frame, width, 3], interpolated. */
  vector(name: string, index: number, width: number, place: Vector3): void {
    const [a, b, share] = this.between();
    this.mixed(this.arrays[name], a * width + index, b * width + index, share, place);
  }

  /** Length of the longest lines that hold an open canopy now [m]; 0 where there is none. */
  openLines(): number {
    const parachutes = this.header.parachutes ?? [];
    const lengths = parachutes.map(({ length }, k) => {
      this.vector("canopy", k, parachutes.length, this.arm);
      return this.arm.lengthSq() > 0 ? length : 0;
    });
    return Math.max(0, ...lengths);
  }

  mode(index: number): number {
    return this.arrays.mode[this.playback.frame * this.nPoints + index];
  }

  /** A column of a variable at a frame; NaN where it was not recorded. */
  value(name: string, column: number, frame = this.playback.frame): number {
    const variable = this.variable(name);
    if (!variable) return NaN;
    return this.arrays[`var.${name}`][frame * variable.columns.length + column] + variable.offsets[column];
  }

  variable(name: string): Variable | undefined {
    return this.variables.get(name);
  }

  private mixed(values: Numbers, a: number, b: number, share: number, out: Vector3): void {
    out.set(
      values[3 * a] + share * (values[3 * b] - values[3 * a]),
      values[3 * a + 1] + share * (values[3 * b + 1] - values[3 * a + 1]),
      values[3 * a + 2] + share * (values[3 * b + 2] - values[3 * a + 2]),
    );
  }
}
