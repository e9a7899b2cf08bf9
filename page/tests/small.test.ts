// Growing arrays, numbers in words, labels that do not overlap.
import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { shown } from "../src/dom";
import { Growing } from "../src/growing";
import { apart, lengthText, northAt } from "../src/measures";

describe("Growing", () => {
  it("puts rows at their place, drops what was behind them, and keeps the type", () => {
    const rows = new Growing(new Float32Array([1, 2, 3]));
    expect(Array.from(rows.put(3, new Float32Array([4, 5])))).toEqual([1, 2, 3, 4, 5]);
    expect(Array.from(rows.put(1, new Float32Array([9])))).toEqual([1, 9]);
    expect(rows.put(2, new Float32Array([8]))).toBeInstanceOf(Float32Array);
    expect(() => rows.put(7, new Float32Array(1))).toThrow("only 3 are here");
  });
});

describe("numbers in words", () => {
  it("has five digits, and powers of ten only where they help", () => {
    expect([0, 1234.5678, 1e7, 2.5e-5, Number.NaN, -0.5].map(shown)).toEqual(["0", "1234.6", "1e7", "2.5e-5", "-", "-0.5"]);
  });

  it("chooses the unit of a length", () => {
    expect([2500, 3, 0.004, -4500].map(lengthText)).toEqual(["2.5 km", "3 m", "4 mm", "-4.5 km"]);
  });
});

describe("compass", () => {
  it("has north along y at a site, towards the pole on a body, and somewhere at the pole", () => {
    expect(northAt("L", new Vector3(0, 0, 1)).toArray()).toEqual([0, 1, 0]);
    const turned = northAt("L", new Vector3(0, 0, 1), Math.PI / 6); // y points 30 degrees east of north
    expect(turned.x).toBeCloseTo(-0.5);
    expect(turned.y).toBeCloseTo(Math.sqrt(0.75));
    expect(northAt("P", new Vector3(1, 0, 0)).toArray()).toEqual([0, 0, 1]);
    expect(northAt("P", new Vector3(0, 0, 1)).length()).toBeCloseTo(1);
  });

  it("moves labels until none lies over another", () => {
    const found = apart([[0, 0], [1, 1], [-2, 3]]);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < i; j++) {
        const [dx, dy] = [Math.abs(found[i][0] - found[j][0]), Math.abs(found[i][1] - found[j][1])];
        expect(dx >= 19.9 || dy >= 13.9).toBe(true);
      }
    }
  });
});
