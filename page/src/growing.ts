// Arrays that grow at their end, without a copy for each addition.
import type { Numbers } from "./data";

export class Growing {
  private room: Numbers;
  private used: number;

  constructor(values: Numbers) {
    this.room = values;
    this.used = values.length;
  }

  /** Puts values from place `at` on in the place of all that was there; gives what is there now. */
  put(at: number, values: Numbers): Numbers {
    if (at > this.used) throw new Error(`results from place ${at} on, but only ${this.used} are here`);
    this.used = at + values.length;
    if (this.used > this.room.length) {
      const larger = new (this.room.constructor as { new (length: number): Numbers })(2 * this.used);
      larger.set(this.room.subarray(0, at));
      this.room = larger;
    }
    this.room.set(values, at);
    return this.room.subarray(0, this.used);
  }
}
