// The colours of planetfall.report.style, so that a curve has one colour in figures and here; a test compares them.
export const COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#E69F00", "#777777"];
// The same on a dark page, as planetfall.report.themed_svg has them.
export const COLORS_ON_DARK = ["#4da3dd", "#ff8a3d", "#2cc295", "#e29cc3", "#7cc8f2", "#e8e8e8", "#f0b429", "#868686"];
export const DASHES: number[][] = [[], [7, 4], [8, 3, 2, 3], [2, 3], [9, 2, 2, 2, 2, 2], [1, 3], [14, 4], [5, 5]];

// Contact modes: none, static, kinetic. Told apart by shape as well (ball, cube, cone).
export const MODE_COLORS = ["#9aa3ad", "#0072B2", "#D55E00"];
export const FORCE = "#E69F00";
export const FRICTION = "#CC79A7";
export const FAILURE = "#D55E00"; // of runs that failed, whatever became of them
export const TRAIL = "#56B4E9";

/** A ramp from dark blue to yellow that stays readable without red or green: 0 to 1 gives [r, g, b], 0 to 1. */
export function ramp(share: number): [number, number, number] {
  const stops: [number, number, number][] = [
    [0.0, 0.13, 0.3],
    [0.26, 0.3, 0.42],
    [0.49, 0.48, 0.47],
    [0.74, 0.68, 0.44],
    [1.0, 0.91, 0.27],
  ];
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  const mix = place - low;
  return stops[low].map((value, k) => value + mix * (stops[low + 1][k] - value)) as [number, number, number];
}
