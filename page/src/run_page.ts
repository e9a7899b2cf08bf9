// The page of one run: scene, plots, bar.
import { Bar } from "./bar";
import type { Pack } from "./data";
import { make } from "./dom";
import { Overlay } from "./overlay";
import { Plots } from "./plots";
import { Replay } from "./replay";
import { Tools } from "./tools";
import { View } from "./view";

export class RunPage {
  readonly replay: Replay;
  readonly view: View;
  readonly plots: Plots;
  readonly bar: Bar;
  readonly overlay: Overlay;
  private tools: Tools;
  isReady = false;
  private stage = make("main", { id: "stage" });
  private last = 0;
  private isStopped = false;

  constructor(app: HTMLElement, pack: Pack, back?: () => void) {
    this.replay = new Replay(pack);
    const canvas = make("canvas", { id: "scene" });
    this.view = new View(canvas, pack, this.replay);
    this.plots = new Plots(this.replay);
    this.bar = new Bar(this.replay.playback);
    this.overlay = new Overlay(this.replay, this.view);
    this.tools = new Tools(this.replay, this.view);
    const tools = this.tools;
    this.stage.append(canvas, this.overlay.element, tools.element);
    app.replaceChildren(this.heading(back), this.stage, this.plots.element, this.bar.element, tools.help);
    app.className = "run";
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.stage);
    observer.observe(this.plots.element);
  }

  start(): void {
    this.resize();
    this.view.cameras.go("overview");
    this.plots.refresh();
    requestAnimationFrame((now) => this.loop(now));
  }

  stop(): void {
    this.isStopped = true;
    this.tools.closing.abort();
    this.view.renderer.dispose();
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

  private heading(back?: () => void): HTMLElement {
    const { header } = this.replay;
    const badge = make("span", { className: `badge ${header.outcome}`, textContent: header.outcome, title: header.outcome_sentence });
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
      badge,
    );
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
    this.isReady = true;
  }

  private resize(): void {
    this.view.resize(this.stage.clientWidth, this.stage.clientHeight);
    this.plots.resize();
    this.bar.resize();
  }
}
