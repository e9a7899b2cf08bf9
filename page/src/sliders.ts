// Sliders for what may be changed while a session runs.
import type { Control } from "./data";
import { make, shown, unitText } from "./dom";

/** Rows of label, slider, value and reset. A change is reported once it is made; on the way to it too where that is
 *  wanted, with the number of the gesture to which it belongs. */
export class Sliders {
  readonly element = make("div", { className: "sliders" });
  private rows = new Map<string, Row>();

  constructor(controls: Control[], changed: (key: string, value: number, gesture: number) => void, isEager = false) {
    for (const control of controls) {
      const row = new Row(control, (value, gesture) => changed(control.key, value, gesture), isEager);
      this.rows.set(control.key, row);
      this.element.append(row.element);
    }
  }

  /** Shows what the session has; a slider that is just being moved stays where it is, unless it has to go back. */
  set(values: Record<string, number>, isForced = false): void {
    for (const [key, value] of Object.entries(values)) this.rows.get(key)?.set(value, isForced);
  }

  enable(isEnabled: boolean): void {
    for (const row of this.rows.values()) row.enable(isEnabled);
  }
}

class Row {
  readonly element = make("div", { className: "slider" });
  private input = make("input", { type: "range" });
  private output = make("output");
  private back = make("button", { textContent: "↺" });
  private value: number;
  private isMoving = false;
  private static gestures = 0;

  constructor(
    private control: Control,
    changed: (value: number, gesture: number) => void,
    isEager: boolean,
  ) {
    const { key, label, help } = control;
    this.value = control.value;
    this.input.id = `set-${key}`;
    this.input.min = String(this.place(control.low));
    this.input.max = String(this.place(control.high));
    this.input.step = control.log ? String((this.place(control.high) - this.place(control.low)) / 200) : String(control.step);
    this.input.oninput = () => {
      if (!this.isMoving) Row.gestures++;
      this.isMoving = true;
      this.write(this.chosen());
      if (isEager) changed(this.chosen(), Row.gestures);
    };
    this.input.onchange = () => {
      this.isMoving = false;
      changed(this.chosen(), Row.gestures);
    };
    this.back.title = `${label}: back to ${shown(control.value)} ${unitText(control.unit)}`.trim();
    this.back.ariaLabel = this.back.title;
    this.back.onclick = () => changed(control.value, ++Row.gestures);
    const name = make("label", { htmlFor: this.input.id, textContent: label, title: help ?? key });
    this.element.append(name, this.input, this.output, this.back);
    this.set(control.value);
  }

  set(value: number, isForced = false): void {
    this.value = value;
    if (this.isMoving && !isForced) return;
    this.input.value = String(this.place(value));
    this.write(value);
  }

  enable(isEnabled: boolean): void {
    this.input.disabled = !isEnabled;
    this.back.disabled = !isEnabled || this.value === this.control.value;
  }

  private write(value: number): void {
    const text = `${shown(value)} ${unitText(this.control.unit)}`.trim();
    this.output.textContent = text;
    this.input.ariaValueText = text;
    this.element.classList.toggle("changed", this.value !== this.control.value);
    this.back.disabled = this.input.disabled || this.value === this.control.value;
  }

  private place(value: number): number {
    return this.control.log ? Math.log10(value) : value;
  }

  private chosen(): number {
    const at = Number(this.input.value);
    return this.control.log ? Number((10 ** at).toPrecision(3)) : at;
  }
}
