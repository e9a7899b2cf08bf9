// The clock of a replay: where it stands, whether it runs, and who has to know.
import { indexAt, type Header, type Numbers } from "./data";

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export class Playback {
  time: number;
  playing = false;
  speed = 1;
  /** Whether frames may still come. */
  isLive = false;
  /** Live runs: stay at the newest frame. */
  atEnd = false;
  private listeners: (() => void)[] = [];

  constructor(
    public times: Numbers,
    public contacts: number[],
  ) {
    this.time = times[0];
  }

  /** Chooses a speed at which all of it takes about a minute, if it would take longer. */
  hurry(): void {
    this.speed = SPEEDS.findLast((speed) => speed <= (this.end - this.start) / 60 && speed >= 1) ?? 1;
  }

  get start(): number {
    return this.times[0];
  }

  get end(): number {
    return this.times[this.times.length - 1];
  }

  get frame(): number {
    return indexAt(this.times, this.time);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.atEnd = this.isLive && this.time >= this.end;
    this.changed();
  }

  /** Frames have come. */
  take(times: Numbers, contacts: number[]): void {
    this.times = times;
    this.contacts = contacts;
    this.time = this.atEnd ? this.end : Math.min(this.time, this.end);
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.start;
    this.atEnd = false;
    this.changed();
  }

  step(frames: number): void {
    this.playing = false;
    const at = Math.min(Math.max(this.frame + frames, 0), this.times.length - 1);
    this.seek(this.times[at]);
  }

  /** To the next (1) or previous (-1) touchdown; stays where there is none. */
  toContact(direction: 1 | -1): void {
    const near = 1e-9 * Math.max(1, Math.abs(this.time));
    const found =
      direction > 0
        ? this.contacts.find((time) => time > this.time + near)
        : this.contacts.findLast((time) => time < this.time - near);
    this.playing = false;
    if (found === undefined) this.changed();
    else this.seek(found);
  }

  faster(steps: number): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed);
    this.speed = SPEEDS[Math.min(Math.max(at + steps, 0), SPEEDS.length - 1)];
    this.changed();
  }

  /** Lets real time [s] pass. */
  pass(seconds: number): void {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time >= this.end) {
      this.time = this.end;
      this.playing = false;
      this.atEnd = this.isLive;
    }
    this.changed();
  }
}

/** Instants at which points are newly in contact: the first frame after each recorded touchdown that shows it.
 *  Of a rover, whose wheels are on the ground all the way: where a verdict or the rover itself changes. */
export function contactTimes(header: Header, times: Numbers, modes: Numbers): number[] {
  if (header.rover) return [...new Set(header.events.map((event) => event.time))];
  const n = header.points.length;
  const names = header.points.map((point) => point.name);
  const found = new Set<number>();
  for (const event of header.events) {
    const j = names.indexOf(event.point);
    if (event.kind !== "touch" || j < 0) continue;
    let i = indexAt(times, event.time);
    if (times[i] < event.time) i++;
    if (i < times.length && modes[i * n + j] === 0) i++; // the instant itself: the force begins in the next frame
    found.add(i < times.length ? times[i] : event.time);
  }
  for (let i = 1; i < times.length && !header.events.length; i++) {
    for (let j = 0; j < n; j++) if (modes[i * n + j] > 0 && modes[(i - 1) * n + j] === 0) found.add(times[i]);
  }
  return [...found].sort((a, b) => a - b);
}
