// The page of one run: scene, plots, bar.
import { Vector3 } from "three";
import { Bar } from "./bar";
import type { Pack } from "./data";
import { make, shown } from "./dom";
import type { LiveLink } from "./live_link";
import { LivePanel } from "./live_panel";
import { Overlay } from "./overlay";
import { Plots } from "./plots";
import { Replay } from "./replay";
import { RoverControls } from "./rover_controls";
import { RoverPanel } from "./rover_panel";
import { Tools } from "./tools";
import { View } from "./view";

/** Where a page comes from, and what it takes over from the one before it. */
export interface Setting {
  /** Leads back to a campaign. */
  back?: () => void;
  /** Of a session that runs. */
  link?: LiveLink | null;
  before?: RunPage;
}

export class RunPage {
  readonly replay: Replay;
  readonly view: View;
  readonly plots: Plots;
  readonly bar: Bar;
  readonly overlay: Overlay;
  private tools: Tools;
  isReady = false;
  private badge = make("span");
  private stage = make("main", { id: "stage" });
  private last = 0;
  private isStopped = false;
  readonly rover: RoverPanel | null;
  private panel: LivePanel | RoverControls | null = null;
  private changed = make("span", { id: "changed", className: "badge changed", textContent: "changed by hand" });
  private unlisten: () => void = () => {};

  constructor(
    app: HTMLElement,
    pack: Pack,
    private setting: Setting = {},
  ) {
    const { back, link, before } = setting;
    this.replay = new Replay(pack);
    this.replay.playback.isLive = this.replay.playback.atEnd = Boolean(pack.header.live && !pack.header.rover);
    if (pack.header.rover) this.replay.playback.hurry();
    const canvas = make("canvas", { id: "scene" });
    this.view = new View(canvas, pack, this.replay);
    this.plots = new Plots(this.replay, before?.plots.chosen);
    this.bar = new Bar(this.replay.playback);
    this.overlay = new Overlay(this.replay, this.view);
    this.tools = new Tools(this.replay, this.view);
    const tools = this.tools;
    this.stage.append(canvas, this.overlay.element, tools.element);
    this.rover = pack.header.rover ? new RoverPanel(this.replay) : null;
    const side = make("div", { id: "side" }, ...(this.rover ? [this.rover.element] : []), this.plots.element);
    app.replaceChildren(this.heading(back), this.stage, side, this.bar.element, tools.help);
    app.className = this.rover ? "run drive" : "run";
    this.rover?.drawGround(this.view.renderer, this.view.ground);
    this.replay.onGrowth(() => this.refresh());
    this.showChanges();
    this.replay.onGrowth(() => this.showChanges());
    if (link) this.attach(link);
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.stage);
    observer.observe(this.plots.element);
  }

  start(): void {
    this.resize();
    const { live } = this.replay.header;
    this.view.cameras.go(live ? "close" : "overview");
    if (this.setting.before && !this.rover) this.takeOver(this.setting.before);
    else this.tools.showFollowing(); // a camera that is close goes along
    if (live && this.rover) this.replay.playback.toggle(); // a rover that is changed while it drives, drives
    this.plots.refresh();
    requestAnimationFrame((now) => this.loop(now));
  }

  stop(): void {
    this.isStopped = true;
    this.tools.closing.abort();
    this.panel?.stop();
    this.unlisten();
    this.view.renderer.dispose();
    this.view.renderer.forceContextLoss();
  }

  /** The connection of a live session. */
  get link(): LiveLink | null {
    return this.setting.link ?? null;
  }

  /** Draws the present time at once: for pictures that have to be in step. */
  drawNow(): void {
    this.view.isDirty = true;
    this.draw();
  }

  /** For films: no buttons, and the scene alone where plots are not wanted. */
  film(hasPlots: boolean): void {
    document.getElementById("app")!.classList.add("film", ...(hasPlots ? [] : ["bare"]));
    this.resize();
  }

  private attach(link: LiveLink): void {
    this.panel = this.rover ? new RoverControls(link, this.replay) : new LivePanel(link, this.replay.header.controls ?? []);
    if (this.rover) this.rover.element.append(this.panel.element);
    else this.plots.element.prepend(this.panel.element);
    this.unlisten = link.listen({ grown: (pack) => this.replay.grow(pack) });
  }

  /** A run whose parameters were changed on the way says so. */
  private showChanges(): void {
    const changes = this.replay.header.events.filter((event) => event.kind.startsWith("changed "));
    this.changed.hidden = !changes.length;
    this.changed.title = changes.map(({ kind, value, time }) => `${kind} to ${shown(value ?? NaN)} at ${shown(time)} s`).join("\n");
  }

  /** Looks on from where the page before looked, at the same time. */
  private takeOver(before: RunPage): void {
    const { time, atEnd } = before.replay.playback;
    this.replay.playback.seek(atEnd ? this.replay.playback.end : time);
    const [here, there] = [this.replay.header.origin, before.replay.header.origin];
    const shift = there.map((value, axis) => value - here[axis]) as [number, number, number];
    this.view.cameras.takeOver(before.view.cameras, new Vector3(...shift));
    this.tools.showFollowing();
  }

  private heading(back?: () => void): HTMLElement {
    const { header } = this.replay;
    Object.assign(this.badge, { className: `badge ${header.outcome}`, textContent: header.outcome, title: header.outcome_sentence });
    const leave = make("button", { id: "back", textContent: "back to the campaign" });
    leave.onclick = () => {
      this.stop();
      back!();
    };
    return make(
      "header",
      { id: "heading" },
      ...(back ? [leave] : []),
      make("h1", { textContent: header.name }),
      make("p", { textContent: header.title }),
      this.changed,
      this.badge,
    );
  }

  /** Other frames have come. */
  private refresh(): void {
    this.bar.resize();
    this.rover?.refresh();
    const { outcome, outcome_sentence: sentence } = this.replay.header;
    Object.assign(this.badge, { className: `badge ${outcome}`, textContent: outcome, title: sentence });
  }

  private loop(now: number): void {
    if (this.isStopped) return;
    this.replay.playback.pass(Math.min(0.25, (now - this.last) / 1000));
    this.last = now;
    this.draw();
    requestAnimationFrame((next) => this.loop(next));
  }

  private draw(): void {
    if (!this.view.draw()) return;
    this.overlay.update(this.stage.clientWidth, this.stage.clientHeight);
    this.rover?.update();
    this.isReady = true;
  }

  private resize(): void {
    this.view.resize(this.stage.clientWidth, this.stage.clientHeight);
    this.plots.resize();
    this.bar.resize();
    if (this.isReady) this.rover?.update();
  }
}
