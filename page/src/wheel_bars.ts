// Torque, slip ratio, friction used and load of each wheel as bars, laid out as the wheels are.
import { make, shown } from "./dom";
import { Meter } from "./meter";
import type { Replay } from "./replay";
import { type RoverPose, WHEELS } from "./rover_pose";

const ROWS = ["front", "middle", "rear"];
const SIDES = ["left", "right"];
const RATIO = { full: 1.25, limit: 1, warn: 0.8, fail: 1 };

interface Bars {
  torque: Meter;
  slip: Meter;
  friction: Meter;
  load: Meter;
}

export class WheelBars {
  readonly element = make("div", { className: "wheels" });
  private bars: Bars[] = [];

  constructor(
    private replay: Replay,
    private pose: RoverPose,
  ) {
    for (const name of WHEELS) {
      this.bars.push({
        torque: new Meter(`${name}: torque over its largest value`, "torque", ratio, RATIO),
        slip: new Meter(`${name}: slip ratio`, "slip", ratio, RATIO),
        friction: new Meter(`${name}: friction used, lateral force included`, "friction", ratio, RATIO),
        load: new Meter(`${name}: load`, "load", (value) => `${shown(Number(value.toPrecision(3)))} N`, { full: 1 }),
      });
    }
    this.element.append(...ROWS.flatMap((row) => SIDES.map((side) => this.cell(`${row} ${side}`))));
    this.refresh();
  }

  /** Other frames have come: the largest load may be another. */
  refresh(): void {
    const { most, usual } = this.replay.normalForces;
    for (const { load } of this.bars) load.setScale({ full: Math.max(most, 2 * usual) || 1, limit: usual || undefined });
  }

  update(): void {
    const { replay } = this;
    this.bars.forEach(({ torque, slip, friction, load }, i) => {
      const moment = replay.value("wheel_torque", i);
      torque.set(Math.abs(replay.value("wheel_saturation", i)), `${shown(moment)} of ${shown(this.pose.stretch.torque_max)} N m`);
      slip.set(replay.value("wheel_slip_ratio", i));
      friction.set(replay.value("wheel_friction_used", i));
      load.set(replay.value("contact_normal_force", i), "the tick is the mean over all wheels and frames");
    });
  }

  /** What the bars say, for tests. */
  readings(): Record<string, Record<string, string>> {
    return Object.fromEntries(
      this.bars.map(({ torque, slip, friction, load }, i) => [
        WHEELS[i],
        { torque: torque.text, slip: slip.text, friction: friction.text, load: load.text },
      ]),
    );
  }

  private cell(name: string): HTMLElement {
    const { torque, slip, friction, load } = this.bars[WHEELS.indexOf(name)];
    const bars = [torque, slip, friction, load].map((meter) => meter.element);
    return make("div", { className: "wheel" }, make("h3", { textContent: name }), ...bars);
  }
}

function ratio(value: number): string {
  return value > 99 ? "> 99" : value.toFixed(value > 9.995 ? 1 : 2);
}
