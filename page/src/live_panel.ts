// What one sees of a running simulation, and can do to it: state, pause, step, pace, sliders.
import type { Control } from "./data";
import { make, shown } from "./dom";
import type { LiveLink, LiveState } from "./live_link";
import { Sliders } from "./sliders";

const PACES = [0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100, 1000];
const AS_FAST = "as fast as it can";

export class LivePanel {
  readonly element = make("section", { id: "live", ariaLabel: "Running simulation" });
  private badge = make("span", { id: "live-badge", className: "badge", role: "status" });
  private sentence = make("p", { id: "live-sentence" });
  private problem = make("p", { id: "live-problem", role: "alert" });
  private hold = make("button", { id: "live-hold" });
  private step = make("button", { id: "live-step", textContent: "step", title: "One recorded frame on" });
  private pace = make("select", { id: "live-pace", ariaLabel: "Pace of the simulation" });
  private sliders: Sliders;
  private ending: () => void;

  constructor(
    private link: LiveLink,
    controls: Control[],
  ) {
    this.sliders = new Sliders(controls, (key, value) => this.send({ do: "set", key, value }));
    this.pace.append(...PACES.map((pace) => make("option", { value: String(pace), textContent: `${pace}× real time` })));
    this.pace.append(make("option", { value: "", textContent: AS_FAST }));
    this.pace.onchange = () => this.send({ do: "pace", value: this.pace.value ? Number(this.pace.value) : null });
    this.hold.onclick = () => this.send({ do: this.link.state?.phase === "paused" ? "play" : "pause" });
    this.step.onclick = () => this.send({ do: "step" });
    this.element.append(
      make("div", { className: "row" }, this.badge, this.hold, this.step, this.pace),
      this.sentence,
      this.problem,
      this.sliders.element,
    );
    this.ending = link.listen({
      state: (state) => this.show(state),
      connection: () => this.show(link.state),
      problem: (sentence) => {
        this.problem.textContent = sentence;
        if (link.state) this.sliders.set(link.state.values);
      },
    });
  }

  stop(): void {
    this.ending();
  }

  private send(command: { do: string; [key: string]: unknown }): void {
    this.problem.textContent = "";
    this.link.send(command);
  }

  private show(state: LiveState | null): void {
    const { isThere } = this.link;
    const isOver = state?.phase === "finished" || state?.phase === "failed";
    const phase = this.phase(state, isOver);
    this.badge.textContent = phase;
    this.badge.className = `badge ${phase.replace(" ", "-")}`;
    this.sentence.textContent = this.link.sentence || (state?.sentence ?? "");
    const canAct = isThere && state !== null && !isOver;
    this.hold.textContent = state?.phase === "paused" ? "go on" : "pause";
    this.hold.title = "The simulation itself, not the replay";
    for (const part of [this.hold, this.step, this.pace]) part.disabled = !canAct;
    this.sliders.enable(canAct);
    if (!state) return;
    this.setPace(state.pace);
    this.sliders.set(state.values);
  }

  private phase(state: LiveState | null, isOver: boolean): string {
    if (state && isOver) return state.phase;
    if (!this.link.isThere) return this.link.wasThere ? "connection lost" : "connecting";
    return !state ? "connecting" : state.phase === "running" ? "live" : state.phase;
  }

  private setPace(pace: number | null): void {
    const value = pace === null ? "" : String(pace);
    if (![...this.pace.options].some((option) => option.value === value)) {
      this.pace.append(make("option", { value, textContent: `${shown(pace!)}× real time` }));
    }
    this.pace.value = value;
  }
}
