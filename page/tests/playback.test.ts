// The clock of a replay, and the instants of contact.
import { describe, expect, it } from "vitest";
import type { Header } from "../src/data";
import { contactTimes, Playback } from "../src/playback";

const TIMES = new Float64Array([0, 1, 2, 3, 4]);

describe("Playback", () => {
  it("runs at its speed, stops at the end, and begins anew from there", () => {
    const clock = new Playback(TIMES, []);
    clock.speed = 2;
    clock.toggle();
    clock.pass(1.5);
    expect([clock.time, clock.frame, clock.playing]).toEqual([3, 3, true]);
    clock.pass(10);
    expect([clock.time, clock.playing]).toEqual([4, false]);
    clock.toggle();
    expect([clock.time, clock.playing]).toEqual([0, true]);
  });

  it("steps by frames and goes from contact to contact", () => {
    const clock = new Playback(TIMES, [1, 3]);
    clock.toContact(1);
    expect(clock.time).toBe(1);
    clock.toContact(1);
    clock.toContact(1);
    expect(clock.time).toBe(3);
    clock.toContact(-1);
    clock.step(-5);
    expect(clock.time).toBe(0);
    clock.step(2);
    expect(clock.time).toBe(2);
  });

  it("stays at the newest frame of a live run, unless it was moved back", () => {
    const clock = new Playback(TIMES.subarray(0, 3), []);
    clock.isLive = true;
    clock.seek(9);
    clock.take(TIMES, []);
    expect(clock.time).toBe(4);
    clock.seek(1);
    clock.take(TIMES, []);
    expect(clock.time).toBe(1);
  });

  it("hurries so that a long run takes about a minute", () => {
    const clock = new Playback(new Float64Array([0, 3600]), []);
    clock.hurry();
    expect(clock.speed).toBe(50);
  });
});

describe("contactTimes", () => {
  const points = [{ name: "a", body: 0 }, { name: "b", body: 0 }];

  it("is the first frame that shows a recorded touchdown", () => {
    const events = [{ time: 1.2, kind: "touch", point: "b", value: null }, { time: 2.5, kind: "lift_off", point: "b", value: null }];
    const modes = new Uint8Array([0, 0, 0, 0, 0, 1, 0, 1, 0, 0]);
    expect(contactTimes({ points, events } as unknown as Header, TIMES, modes)).toEqual([2]);
  });

  it("follows from the modes where no event is recorded", () => {
    const modes = new Uint8Array([0, 0, 1, 0, 1, 0, 0, 0, 0, 2]);
    expect(contactTimes({ points, events: [] } as unknown as Header, TIMES, modes)).toEqual([1, 4]);
  });
});
