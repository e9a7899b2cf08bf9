// Light or dark, as the system asks for it; the style sheet has the colours by name.
import { COLORS, COLORS_ON_DARK } from "./palette";

const wish = window.matchMedia("(prefers-color-scheme: dark)");

/** A colour of the style sheet by its name, such as `--ink`, as it is now. */
export function themed(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The colour of the curve with a number. */
export function curveColor(index: number): string {
  const colors = wish.matches ? COLORS_ON_DARK : COLORS;
  return colors[index % colors.length];
}

/** Calls back when the system changes from light to dark, or back. */
export function onThemeChange(changed: () => void): void {
  wish.addEventListener("change", changed);
}
