// What curves of one plot are drawn from: zero, or where each begins when they lie too far apart to show how they move.
import type { Numbers } from "./data";

export interface Curve {
  label: string;
  values: Numbers;
}

const FAR = 20; // distance of the curves of a plot over the largest movement of one, from which on all look flat (assumed)

/** What is taken off each curve before it is drawn: nothing, or its first value, as of heights far from zero. */
export function origins(curves: Curve[]): number[] {
  const extents = curves.map(({ values }) => extent(values)).filter(([low, high]) => low <= high);
  const moves = Math.max(0, ...extents.map(([low, high]) => high - low));
  const apart = Math.max(...extents.map(([, high]) => high)) - Math.min(...extents.map(([low]) => low));
  if (moves === 0 || !(apart > FAR * moves)) return curves.map(() => 0);
  return curves.map(({ values }) => values.find(Number.isFinite) ?? 0);
}

/** The curves as they are drawn. */
export function drawn(curves: Curve[], from: number[]): Numbers[] {
  return curves.map(({ values }, i) => (from[i] === 0 ? values : Float64Array.from(values, (value) => value - from[i])));
}

function extent(values: Numbers): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
