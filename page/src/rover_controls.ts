// What one can do to a rover while it drives: sliders from where it is, undo, another terrain or path, saving.
import type { Control, RoverSession } from "./data";
import { make } from "./dom";
import type { LiveLink, LiveState } from "./live_link";
import type { Replay } from "./replay";
import { Sliders } from "./sliders";

const KINDS: Record<string, string> = { drive: "drive", terrain: "terrain", path: "path", rover: "rover", goal: "torques for" };

interface Setting {
  key: string;
  value: number;
  gesture: number;
}

export class RoverControls {
  readonly element = make("section", { id: "controls", ariaLabel: "Changes while the rover drives" });
  private problem = make("p", { id: "live-problem", role: "alert" });
  private note = make("p", { id: "live-sentence", role: "status" });
  private undo = this.button("undo", "↶ undo", "Take the last change back (U)", () => this.send({ do: "undo" }));
  private redo = this.button("redo", "↷ redo", "Do it again (R)", () => this.send({ do: "redo" }));
  private keep = this.button("save", "save", "Write this drive with its changes as a run folder", () => this.send({ do: "save" }));
  private selects = new Map<string, HTMLSelectElement>();
  private sliders: Sliders[] = [];
  /** The latest place of a slider that is not sent yet, while the answer to the one before is on its way. */
  private waiting: Setting | null = null;
  private isAnswered = true;
  private closing = new AbortController();
  private ending: () => void;

  constructor(
    private link: LiveLink,
    private replay: Replay,
  ) {
    this.element.append(
      make("div", { className: "row" }, this.undo, this.redo, this.keep),
      this.note,
      this.problem,
      ...this.groups(replay.header.controls ?? []),
      this.choices(replay.header.session!),
    );
    this.ending = link.listen({
      grown: () => this.answered(),
      problem: (sentence) => this.refused(sentence),
      state: (state) => this.tell(state),
      connection: (isThere, sentence) => {
        this.note.textContent = sentence;
        this.isAnswered = true; // what was on its way when a connection broke has no answer
        for (const sliders of this.sliders) sliders.enable(isThere);
      },
    });
    replay.playback.onChange(() => this.show());
    replay.onGrowth(() => this.show());
    addEventListener("keydown", (event) => this.key(event), { signal: this.closing.signal });
    this.show();
  }

  stop(): void {
    this.closing.abort();
    this.ending();
  }

  private groups(controls: Control[]): HTMLElement[] {
    const names = [...new Set(controls.map((control) => control.group ?? ""))];
    return names.map((name) => {
      const own = controls.filter((control) => control.group === name);
      const sliders = new Sliders(own, (key, value, gesture) => this.set({ key, value, gesture }), true);
      this.sliders.push(sliders);
      return make("fieldset", {}, make("legend", { textContent: name }), sliders.element);
    });
  }

  private choices(session: RoverSession): HTMLElement {
    const rows = Object.entries(session.choices).map(([kind, names]) => {
      const select = make("select", { id: `choose-${kind}` });
      select.append(...names.map((name) => make("option", { value: name, textContent: name })));
      select.onchange = () => this.send({ do: "choose", kind, name: select.value, time: this.replay.playback.time });
      this.selects.set(kind, select);
      return make("label", {}, make("span", { textContent: KINDS[kind] ?? kind }), select);
    });
    return make("fieldset", { className: "choices" }, make("legend", { textContent: "start anew with another" }), ...rows);
  }

  /** Sends where a slider is; while an answer is awaited only the latest place is kept. */
  private set(setting: Setting): void {
    this.waiting = setting;
    if (this.isAnswered) this.sendWaiting();
  }

  private sendWaiting(): void {
    if (!this.waiting) return;
    const { playback } = this.replay;
    this.isAnswered = false;
    this.send({ do: "set", ...this.waiting, time: playback.times[playback.frame] });
    this.waiting = null;
  }

  private answered(): void {
    this.isAnswered = true;
    this.sendWaiting();
  }

  private refused(sentence: string): void {
    this.problem.textContent = sentence;
    this.waiting = null;
    this.isAnswered = true;
    this.show(true);
  }

  private send(command: { do: string; [key: string]: unknown }): void {
    this.problem.textContent = "";
    this.link.send(command);
  }

  private tell(state: LiveState): void {
    this.note.textContent = state.sentence;
  }

  /** Puts sliders, buttons and lists where the session has them at the present time. */
  private show(isForced = false): void {
    const { session } = this.replay.header;
    const values = this.replay.stretch.values ?? {};
    for (const sliders of this.sliders) sliders.set(values, isForced);
    this.undo.disabled = !session!.undo;
    this.redo.disabled = !session!.redo;
    for (const [kind, select] of this.selects) select.value = session!.chosen[kind] ?? "";
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const isTyping = target.tagName === "SELECT";
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping) return;
    const acts: Record<string, HTMLButtonElement> = { u: this.undo, r: this.redo };
    const button = acts[event.key.toLowerCase()];
    if (!button || button.disabled) return;
    button.click();
    event.preventDefault();
  }

  private button(id: string, text: string, title: string, act: () => void): HTMLButtonElement {
    const out = make("button", { id, textContent: text, title });
    out.onclick = act;
    return out;
  }
}
