// A bar with its number: how much of what is there is used. Full ones are hatched, so that they show in grey as well.
import { make } from "./dom";

export interface MeterScale {
  /** What the whole bar stands for. */
  full: number;
  /** Where the tick is: the limit. */
  limit?: number;
  /** From here on it deserves attention, and from there on it fails. Downward where `warn` > `fail`. */
  warn?: number;
  fail?: number;
}

export class Meter {
  readonly element: HTMLElement;
  private fill = make("i", { className: "fill" });
  private tick = make("i", { className: "tick" });
  private track: HTMLElement;
  private number = make("b");
  private scale: MeterScale = { full: 1 };

  constructor(
    private name: string,
    label: string,
    private format: (value: number) => string,
    scale: MeterScale,
  ) {
    this.track = make("span", { className: "track" }, this.fill, this.tick);
    this.track.setAttribute("role", "meter");
    this.track.ariaLabel = name;
    this.element = make("div", { className: "meter", title: name }, make("span", { className: "label", textContent: label }), this.track, this.number);
    this.setScale(scale);
  }

  setScale(scale: MeterScale): void {
    this.scale = scale;
    this.tick.hidden = scale.limit === undefined;
    if (scale.limit !== undefined) this.tick.style.left = `${(100 * scale.limit) / scale.full}%`;
    this.track.setAttribute("aria-valuemin", "0");
    this.track.setAttribute("aria-valuemax", String(scale.full));
  }

  set(value: number, detail = ""): void {
    const { full, warn, fail } = this.scale;
    const isKnown = Number.isFinite(value);
    this.fill.style.width = `${isKnown ? Math.min(Math.max(100 * (value / full), 0), 100) : 0}%`;
    const isRising = fail === undefined || warn === undefined || warn <= fail;
    const beyond = (mark?: number) => mark !== undefined && isKnown && (isRising ? value > mark : value < mark);
    this.element.classList.toggle("bad", beyond(fail));
    this.element.classList.toggle("near", beyond(warn) && !beyond(fail));
    this.number.textContent = isKnown ? this.format(value) : "-";
    this.track.setAttribute("aria-valuenow", isKnown ? String(value) : "");
    if (detail) this.element.title = `${this.name}: ${detail}`;
  }

  get text(): string {
    return this.number.textContent ?? "";
  }
}
