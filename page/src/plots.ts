// Curves of recorded variables beside the scene: one clock, one zoom, a click seeks.
import uPlot from "uplot";
import { type Curve, drawn, origins } from "./curves";
import { indexAt, type Numbers, type Variable } from "./data";
import { make, shown, unitText } from "./dom";
import { DASHES } from "./palette";
import type { Replay } from "./replay";
import { curveColor, onThemeChange, themed } from "./theme";

const ENERGY = "energy account";
const FIRST = [
  ...["contact_normal_force", "tether_tension", "wheel_slip_ratio", "wheel_torque"],
  ...["altitude", "speed", "g_load", "heating", "position", ENERGY],
];
const REPAINT = 100; // milliseconds between repaints while playing
const GROWTH = 250; // milliseconds between repaints of a run that grows
const NOTHING = 1e-9; // share of the largest magnitude in a plot below which a value reads as 0

export class Plots {
  readonly element = make("section", { id: "plots" });
  private plots: Plot[] = [];
  private lastPaint = 0;
  private zoom: [number, number] | null = null;
  private growth = 0;

  constructor(
    private replay: Replay,
    wanted: string[] = [],
  ) {
    const names = this.names();
    const first = (wanted.length ? wanted : FIRST).filter((name) => names.includes(name)).slice(0, wanted.length || (replay.header.rover ? 3 : 4));
    for (const name of first.length ? first : names.slice(0, 3)) this.add(name);
    const more = make("button", { id: "add-plot", textContent: "+ plot", title: "Add another plot" });
    more.onclick = () => this.add(names.find((name) => !this.plots.some((plot) => plot.name === name)) ?? names[0]);
    this.element.append(more);
    replay.playback.onChange(() => this.mark());
    replay.onGrowth(() => this.grow());
    onThemeChange(() => this.plots.forEach((plot) => plot.show(this.zoom)));
  }

  /** Names of all that can be plotted. */
  names(): string[] {
    const own = this.replay.header.variables.map((variable) => variable.name);
    const hasEnergy = own.some((name) => name.startsWith("energy_"));
    return [...(own.includes("velocity") ? ["speed"] : []), ...own, ...(hasEnergy ? [ENERGY] : [])];
  }

  add(name: string): void {
    const plot = new Plot(this.replay, name, this.names(), {
      zoomed: (low, high) => this.setZoom(low, high),
      closed: (closing) => this.remove(closing),
    });
    this.plots.push(plot);
    const more = this.element.querySelector("#add-plot");
    this.element.insertBefore(plot.element, more);
    plot.show(this.zoom);
  }

  resize(): void {
    for (const plot of this.plots) plot.fit();
  }

  /** Draw all curves again. */
  refresh(): void {
    for (const plot of this.plots) plot.show(this.zoom);
  }

  /** New frames have come; curves are drawn again a few times a second. */
  private grow(): void {
    if (this.growth) return;
    this.growth = setTimeout(() => {
      this.growth = 0;
      for (const plot of this.plots) plot.grow(this.zoom);
    }, GROWTH);
  }

  /** What is plotted, in order. */
  get chosen(): string[] {
    return this.plots.map((plot) => plot.name);
  }

  /** What the plots say at the present time, for tests: value by variable and column. */
  readings(): Record<string, Record<string, string>> {
    return Object.fromEntries(this.plots.map((plot) => [plot.name, plot.readings()]));
  }

  private remove(plot: Plot): void {
    this.plots = this.plots.filter((other) => other !== plot);
    plot.element.remove();
  }

  private setZoom(low: number, high: number): void {
    const { start, end } = this.replay.playback;
    const isAll = low <= start && high >= end;
    this.zoom = isAll ? null : [low, high];
    for (const plot of this.plots) plot.setZoom(isAll ? start : low, isAll ? end : high);
  }

  private mark(): void {
    const now = performance.now();
    const isDue = !this.replay.playback.playing || now - this.lastPaint > REPAINT;
    if (!isDue) return;
    this.lastPaint = now;
    for (const plot of this.plots) plot.mark();
  }
}

interface Reports {
  zoomed: (low: number, high: number) => void;
  closed: (plot: Plot) => void;
}

class Plot {
  readonly element = make("article", { className: "plot" });
  private box = make("div", { className: "box" });
  private legend = make("div", { className: "legend" });
  private line = make("div", { className: "now" });
  private chart: uPlot | null = null;
  private curves: Curve[] = [];
  private from: number[] = []; // what is taken off each curve; its heading has the value itself
  private times: Numbers = new Float64Array(0);
  private cells: HTMLElement[] = [];
  private least = 0; // magnitude below which a value reads as 0
  private isSetting = false;

  constructor(
    private replay: Replay,
    public name: string,
    names: string[],
    private reports: Reports,
  ) {
    const choice = make("select", { ariaLabel: "Variable of this plot" });
    choice.append(...names.map((other) => make("option", { value: other, textContent: replay.variable(other)?.label ?? other })));
    choice.value = name;
    choice.onchange = () => {
      this.name = choice.value;
      this.show(null);
    };
    const close = make("button", { className: "close", textContent: "×", title: "Remove this plot" });
    close.onclick = () => reports.closed(this);
    this.element.append(make("header", {}, choice, this.legend, close), this.box);
    new ResizeObserver(() => this.fit()).observe(this.box); // its room changes with the rows of the legend
  }

  show(zoom: [number, number] | null): void {
    const { unit, title } = this.collect();
    this.from = origins(this.curves);
    const axisLabel = [unit && `[${unit}]`, this.from.some(Boolean) && "from its start"].filter(Boolean).join(" ");
    this.least = NOTHING * largest(this.curves);
    this.chart?.destroy();
    const axis = { stroke: themed("--axis"), grid: { stroke: themed("--grid"), width: 1 }, ticks: { stroke: themed("--tick") }, font: "11px system-ui" };
    const isStep = this.name.endsWith("_mode") || this.name === "verdict" || this.name.endsWith("_status");
    this.chart = new uPlot(
      {
        width: Math.max(this.box.clientWidth, 100),
        height: Math.max(this.box.clientHeight, 60),
        legend: { show: false },
        scales: { x: { time: false } },
        axes: [
          { ...axis, size: 28, label: "time [s]", labelSize: 14, labelGap: 0, labelFont: "11px system-ui", values: (_u, ticks) => ticks.map(shown) },
          { ...axis, size: 62, label: axisLabel, labelSize: axisLabel ? 16 : 0, labelFont: "11px system-ui", values: (_u, ticks) => ticks.map(shown) },
        ],
        cursor: { sync: { key: "planetfall" }, drag: { x: true, y: false }, points: { size: 5 } },
        padding: [6, 18, 0, 0],
        series: [
          {},
          ...this.curves.map((curve, i) => ({
            label: curve.label,
            stroke: curveColor(i),
            dash: DASHES[i % DASHES.length],
            width: 1.5,
            points: { show: false },
            pxAlign: 0, // points on whole pixels would make waves of straight lines
            paths: isStep ? uPlot.paths.stepped!({ align: 1 }) : undefined,
          })),
        ],
        hooks: {
          setScale: [
            (chart, key) => {
              const { min, max } = chart.scales[key];
              if (key === "x" && !this.isSetting && min != null && max != null) this.reports.zoomed(min, max);
            },
          ],
        },
      } as uPlot.Options,
      this.aligned(),
      this.box,
    );
    this.chart.over.append(this.line);
    this.seekOnClick(this.chart);
    this.element.title = title;
    if (zoom) this.setZoom(...zoom);
    this.legendRow();
    this.mark();
  }

  /** What the chart draws; gaps are null, since a curve that begins with NaN has no range. */
  private aligned(): uPlot.AlignedData {
    const gapped = (values: Numbers) => (values.some(Number.isNaN) ? Array.from(values, (value) => (Number.isNaN(value) ? null : value)) : values);
    return [this.times, ...drawn(this.curves, this.from).map(gapped)] as uPlot.AlignedData;
  }

  /** Takes in new frames without being made anew. */
  grow(zoom: [number, number] | null): void {
    const before = this.curves.length;
    this.collect();
    this.least = NOTHING * largest(this.curves);
    if (!this.chart || this.curves.length !== before || `${origins(this.curves)}` !== `${this.from}`) {
      this.show(zoom);
      return;
    }
    this.isSetting = true;
    this.chart.setData(this.aligned(), zoom === null);
    this.isSetting = false;
    queueMicrotask(() => this.mark());
  }

  setZoom(low: number, high: number): void {
    this.isSetting = true;
    this.chart?.setScale("x", { min: low, max: high });
    this.isSetting = false;
    queueMicrotask(() => this.mark());
  }

  fit(): void {
    this.chart?.setSize({ width: Math.max(this.box.clientWidth, 100), height: Math.max(this.box.clientHeight, 60) });
    this.mark();
  }

  mark(): void {
    if (!this.chart || !this.times.length) return;
    const time = this.replay.playback.time;
    const { min, max } = this.chart.scales.x;
    this.line.hidden = min == null || max == null || time < min || time > max;
    this.line.style.left = `${this.chart.valToPos(time, "x")}px`;
    const at = indexAt(this.times, time);
    this.cells.forEach((cell, i) => {
      const value = this.curves[i].values[at];
      cell.textContent = shown(Math.abs(value) < this.least ? 0 : value);
    });
  }

  readings(): Record<string, string> {
    return Object.fromEntries(this.curves.map((curve, i) => [curve.label, this.cells[i]?.textContent ?? ""]));
  }

  private seekOnClick(chart: uPlot): void {
    let pressed = 0;
    chart.over.addEventListener("mousedown", (event) => (pressed = event.clientX));
    chart.over.addEventListener("mouseup", (event) => {
      if (Math.abs(event.clientX - pressed) > 3) return;
      this.replay.playback.seek(chart.posToVal(event.clientX - chart.over.getBoundingClientRect().left, "x"));
    });
  }

  private legendRow(): void {
    this.cells = this.curves.map(() => make("b"));
    this.legend.replaceChildren(
      ...this.curves.map((curve, i) => {
        const swatch = make("i");
        swatch.style.background = curveColor(i);
        return make("span", {}, swatch, `${curve.label} `, this.cells[i]);
      }),
    );
  }

  /** Fills the curves; gives the unit and the meaning. */
  private collect(): { unit: string; title: string } {
    const { header, arrays } = this.replay;
    this.times = arrays.time;
    if (this.name === ENERGY) {
      const parts = header.variables.filter(
        (variable) => variable.unit === "J" && variable.time === "time" && variable.columns.length === 1,
      );
      this.curves = parts.map((part) => ({ label: part.label, values: column(this.replay, part, 0) }));
      return { unit: "J", title: "energies, and the work that changes them" };
    }
    if (this.name === "speed") {
      this.curves = header.bodies.map((body, i) => ({ label: header.bodies.length > 1 ? body.name : "", values: speeds(this.replay, i) }));
      return { unit: "m/s", title: "speed of the centre of mass relative to the surface frame" };
    }
    const variable = this.replay.variable(this.name)!;
    if (variable.time !== "time") this.times = arrays[`time.${variable.time}`];
    const curves = variable.columns.map((label, k) => ({ label, values: column(this.replay, variable, k) }));
    const told = curves.filter(({ values }) => values.some(Number.isFinite)); // a rover in its capsule has no altitude
    this.curves = told.length ? told : curves;
    const frame = variable.frame === "none" ? "" : `, frame ${variable.frame}`;
    return { unit: unitText(variable.unit), title: `${variable.name}: ${variable.meaning}${frame}` };
  }
}

function largest(curves: Curve[]): number {
  let out = 0;
  for (const { values } of curves) for (const value of values) if (Math.abs(value) > out) out = Math.abs(value);
  return out;
}

function column(replay: Replay, variable: Variable, k: number): Float64Array {
  const values = replay.arrays[`var.${variable.name}`];
  const n = variable.columns.length;
  const out = new Float64Array(values.length / n);
  for (let i = 0; i < out.length; i++) out[i] = values[i * n + k] + variable.offsets[k];
  return out;
}

function speeds(replay: Replay, body: number): Float64Array {
  const out = new Float64Array(replay.arrays.time.length);
  for (let i = 0; i < out.length; i++) {
    out[i] = Math.hypot(...[0, 1, 2].map((axis) => replay.value("velocity", 3 * body + axis, i)));
  }
  return out;
}
