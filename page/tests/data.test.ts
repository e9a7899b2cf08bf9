// Packs as planetfall.viewer.pack writes them, made here by hand, byte by byte.
import { describe, expect, it } from "vitest";
import { decode, indexAt } from "../src/data";

function pack(header: object, bytes: Uint8Array): ArrayBuffer {
  let text = JSON.stringify(header);
  while ((8 + text.length) % 8) text += " ";
  const out = new Uint8Array(8 + text.length + bytes.length);
  out.set(new TextEncoder().encode("PFV1"));
  new DataView(out.buffer).setUint32(4, text.length, true);
  out.set(new TextEncoder().encode(text), 8);
  out.set(bytes, 8 + text.length);
  return out.buffer;
}

const NAMED = { format: "planetfall-view", version: 1 };

describe("decode", () => {
  it("gives arrays with their types, lengths and widths", () => {
    const times = new Float64Array([0, 0.5, 2]);
    const places = { time: { type: "f8", shape: [3], offset: 0 }, mode: { type: "u1", shape: [3, 2], offset: 24 } };
    const bytes = new Uint8Array(30);
    bytes.set(new Uint8Array(times.buffer));
    bytes.set([0, 1, 2, 0, 1, 2], 24);
    const found = decode(pack({ ...NAMED, kind: "run", arrays: places }, bytes));
    expect(found.header.kind).toBe("run");
    expect(Array.from(found.arrays.time)).toEqual([0, 0.5, 2]);
    expect(Array.from(found.arrays.mode)).toEqual([0, 1, 2, 0, 1, 2]);
    expect(found.widths).toEqual({ time: 1, mode: 2 });
  });

  it("refuses other files and other versions in words", () => {
    expect(() => decode(new ArrayBuffer(4))).toThrow("no Planetfall results");
    expect(() => decode(pack({ ...NAMED, version: 2, arrays: {} }, new Uint8Array()))).toThrow("version 2");
  });
});

describe("indexAt", () => {
  it("gives the last instant that is not later", () => {
    const times = new Float64Array([0, 1, 1, 4]);
    expect([-1, 0, 0.9, 1, 3.9, 4, 9].map((t) => indexAt(times, t))).toEqual([0, 0, 0, 2, 2, 3, 3]);
  });
});
