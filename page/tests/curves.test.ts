// Curves that lie far apart are drawn from where they begin; others from zero.
import { describe, expect, it } from "vitest";
import { drawn, origins } from "../src/curves";

const curve = (...values: number[]) => ({ label: "", values: Float64Array.from(values) });

describe("origins", () => {
  it("are the first values where the curves lie too far apart to show how they move", () => {
    const place = [curve(12, 12.4, 13.3), curve(-8, -8.2, -7), curve(-4452.7, -4454.6, -4454.9)];
    expect(origins(place)).toEqual([12, -8, -4452.7]);
    const lines = drawn(place, origins(place));
    expect(lines[2][0]).toBe(0);
    expect(lines[2][2]).toBeCloseTo(-2.2, 9);
  });

  it("are zero where they show it, and where nothing moves", () => {
    const near = [curve(0, 3), curve(-2, 1), curve(20, 18)];
    expect(origins(near)).toEqual([0, 0, 0]);
    expect(drawn(near, origins(near))[0]).toBe(near[0].values);
    expect(origins([curve(1, 1), curve(500, 500)])).toEqual([0, 0]);
    expect(origins([curve(-4452, -4450)])).toEqual([0]); // one alone has the axis for itself
  });

  it("begin at the first number that there is", () => {
    expect(origins([curve(NaN, 1000, 1001), curve(0, 1, 2)])).toEqual([1000, 0]);
    expect(origins([curve(NaN), curve(NaN)])).toEqual([0, 0]);
  });
});
