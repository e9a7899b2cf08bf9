// The panel of a rover: what its wheels use, how far it is from tipping, what it has spent, and how it stands.
import type { Mesh, WebGLRenderer } from "three";
import { make, shown } from "./dom";
import { groundPicture } from "./ground_picture";
import { Meter } from "./meter";
import type { Replay } from "./replay";
import { RoverPose } from "./rover_pose";
import { SideView } from "./side_view";
import { TopView } from "./top_view";
import { WheelBars } from "./wheel_bars";

const MARGIN = { full: 1.25, limit: 1, warn: 0.3, fail: 0.1 };
const FACTS = ["time", "distance", "speed", "energy", "power", "pitch, roll"] as const;

export class RoverPanel {
  readonly element = make("section", { id: "panel", ariaLabel: "Rover" });
  readonly pose: RoverPose;
  readonly wheels: WheelBars;
  readonly top: TopView;
  readonly side: SideView;
  private stability = new Meter("stability margin: least angle to tipping, over its value on flat ground", "stability", two, MARGIN);
  private unloading = new Meter("unloading margin: least angle until a wheel unloads, over its value on flat ground", "unloading", two, MARGIN);
  private verdict = make("p", { id: "verdict", role: "status" });
  private changes = make("ol", { className: "changes" });
  private cells = new Map(FACTS.map((name) => [name, make("b")]));

  constructor(private replay: Replay) {
    this.pose = new RoverPose(replay);
    this.wheels = new WheelBars(replay, this.pose);
    this.top = new TopView(replay, this.pose);
    this.side = new SideView(replay, this.pose);
    const facts = FACTS.map((name) => make("div", {}, make("span", { textContent: name }), this.cells.get(name)!));
    this.element.append(
      this.verdict,
      make("div", { className: "facts" }, ...facts),
      make("div", { className: "margins" }, this.stability.element, this.unloading.element),
      this.wheels.element,
      make("div", { className: "views" }, this.top.drawing.element, this.side.drawing.element),
      this.changes,
    );
    this.listChanges();
  }

  /** The picture of the ground that the top view lies on. */
  drawGround(renderer: WebGLRenderer, ground: Mesh): void {
    this.top.setGround(groundPicture(renderer, ground, this.top.box()));
  }

  /** Other frames have come. */
  refresh(): void {
    this.wheels.refresh();
    this.listChanges();
    this.update();
  }

  update(): void {
    this.pose.update();
    this.wheels.update();
    this.stability.set(this.replay.value("margin_stability", 0));
    this.unloading.set(this.replay.value("margin_unloading", 0));
    this.writeVerdict();
    this.writeFacts();
    this.top.draw();
    this.side.draw();
  }

  /** What the panel says, for tests. */
  readings(): Record<string, unknown> {
    const facts = Object.fromEntries([...this.cells].map(([name, cell]) => [name, cell.textContent]));
    const margins = { stability: this.stability.text, unloading: this.unloading.text };
    return { ...facts, ...margins, verdict: this.verdict.textContent, wheels: this.wheels.readings() };
  }

  /** Where the rover or its ground were changed; a click goes there. */
  private listChanges(): void {
    const { playback, header } = this.replay;
    const rows = header.rover!.stretches.slice(1).map((stretch) => {
      const words = Object.entries(stretch.changed).map(([key, value]) => (typeof value === "number" ? `${key} = ${shown(value)}` : key));
      const go = make("button", { textContent: `from ${shown(stretch.distance)} m: ${words.join(", ")}` });
      go.onclick = () => playback.seek(stretch.time);
      return make("li", {}, go);
    });
    this.changes.replaceChildren(...rows);
  }

  private writeVerdict(): void {
    const { header, playback } = this.replay;
    const code = this.replay.value("verdict", 0);
    const atEnd = playback.frame === playback.times.length - 1;
    const word = header.rover!.verdicts[code] ?? "";
    this.verdict.textContent = atEnd ? `The rover ${header.rover!.says}.` : word === "stands" ? "Every wheel holds." : `The rover ${word}.`;
    this.verdict.className = code === 0 ? "" : "bad";
  }

  private writeFacts(): void {
    const { replay } = this;
    const sum = (name: string) => [0, 1, 2, 3, 4, 5].reduce((total, i) => total + replay.value(name, i), 0);
    const degrees = (name: string) => (Math.round((replay.value(name, 0) * 1800) / Math.PI) / 10 + 0).toFixed(1);
    const speed = Math.hypot(...[0, 1, 2].map((axis) => replay.value("velocity", axis)));
    const said: Record<(typeof FACTS)[number], string> = {
      time: `${replay.playback.time.toFixed(1)} s`,
      distance: `${replay.value("distance", 0).toFixed(3)} of ${shown(Number(replay.header.rover!.path_m.toPrecision(4)))} m`,
      speed: `${shown(Number(speed.toPrecision(3)))} m/s`,
      energy: `${shown(Number(sum("work_motor").toPrecision(4)))} J`,
      power: `${shown(Number(sum("wheel_power").toPrecision(3)))} W`,
      "pitch, roll": `${degrees("rover_pitch")}°, ${degrees("rover_roll")}°`,
    };
    for (const [name, text] of Object.entries(said)) this.cells.get(name as (typeof FACTS)[number])!.textContent = text;
  }
}

function two(value: number): string {
  return value.toFixed(2);
}
