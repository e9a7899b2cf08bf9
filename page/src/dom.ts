/** An element with properties and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A number for people: about five digits, no needless zeros. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(3).replace("e+", "e").replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(5)));
}

/** A unit as it is printed: squares and cubes raised. */
export function unitText(unit: string): string {
  return unit === "1" ? "" : unit.replace("^2", "²").replace("^3", "³");
}
