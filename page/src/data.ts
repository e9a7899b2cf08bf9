// Reading what planetfall.viewer.pack writes: "PFV1", length of the header, header in JSON, arrays on multiples of 8.

export type Numbers = Float32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array;

export interface Variable {
  name: string;
  label: string;
  meaning: string;
  unit: string;
  frame: string;
  time: string;
  columns: string[];
  offsets: number[];
  /** Names of its values 0, 1, 2 ... where these are states. */
  states?: string[];
}

export interface Body {
  name: string;
  points: number[][];
  hull: { vertices: number[][]; facets: number[][] } | null;
  box: { edges: number[]; axes: number[][] } | null;
  has_shape?: boolean;
  up: number[];
}

export interface Tether {
  name: string;
  bodies: [number, number];
  points: [number[], number[]];
}

export interface Parachute {
  name: string;
  body: number;
  attachment: number[];
  /** Of riser and lines together [m]. */
  length: number;
}

export interface Happening {
  time: number;
  kind: string;
  point: string;
  value: number | null;
}

export interface Sensor {
  name: string;
  kind: string;
  body: number;
  position: number[];
  beams: number[][];
}

/** Part of a drive with one rover on one soil, from a time [s] and distance [m] on. */
export interface Stretch {
  time: number;
  distance: number;
  wheel_radius: number;
  wheel_width: number;
  torque_max: number;
  changed: Record<string, unknown>;
  /** What the controls of a live drive stand at. */
  values?: Record<string, number>;
}

export interface Rover {
  links: [string, number, string, number][];
  stretches: Stretch[];
  verdicts: string[];
  says: string;
  path_m: number;
  goal: string;
}

/** How a live drive stands, and what may be chosen in it. */
export interface RoverSession {
  undo: number;
  redo: number;
  choices: Record<string, string[]>;
  chosen: Record<string, string>;
}

/** Something that may be changed while a session runs. */
export interface Control {
  key: string;
  label: string;
  unit: string;
  low: number;
  high: number;
  step: number;
  value: number;
  /** Equal ways on the slider are equal ratios. */
  log?: boolean;
  /** Under which heading it stands. */
  group?: string;
  help?: string;
}

export interface Header {
  kind: "run" | "campaign" | "empty" | "frames";
  format: string;
  version: number;
  planetfall: string;
  name: string;
  title: string;
  outcome: string;
  outcome_sentence: string;
  problem?: string;
  frame: string;
  /** Azimuth of y of frame L, clockwise from true north [rad]. */
  turn?: number;
  origin: number[];
  up: number[];
  size: number;
  n_frames_recorded: number;
  n_facets: number;
  n_facets_terrain: number;
  bodies: Body[];
  points: { name: string; body: number }[];
  tethers: Tether[];
  parachutes?: Parachute[];
  sensors?: Sensor[];
  rover?: Rover;
  modes: string[];
  events: Happening[];
  variables: Variable[];
  sun: { direction: number[]; omega: number[] } | null;
  /** A session that still runs: there is a connection to ask for what is new. */
  live?: boolean;
  /** How much of a live session this is, to be given back when the page connects. */
  seen?: string;
  controls?: Control[];
  grid?: { step: number; count: number }[];
  notes?: string[];
  session?: RoverSession;
  n_runs?: number;
  reach?: number;
  outcomes?: string[];
  /** Which of the outcomes are failures. */
  failed?: boolean[];
  columns?: { name: string; label: string; unit: string }[];
  [key: string]: unknown;
}

export interface Pack {
  header: Header;
  arrays: Record<string, Numbers>;
  /** Numbers in a row of each array: the product of its shape without the first length. */
  widths: Record<string, number>;
}

const TYPES = { f4: Float32Array, f8: Float64Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

interface Place {
  type: string;
  shape: number[];
  offset: number;
  coding?: string;
}

export function decode(buffer: ArrayBuffer): Pack {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x50465631) throw new Error("these are no Planetfall results");
  const length = view.getUint32(4, true);
  const { arrays: places, ...header } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  if (header.format !== "planetfall-view" || header.version !== 1) {
    throw new Error(`results of version ${header.version}; this page reads version 1`);
  }
  const arrays: Record<string, Numbers> = {};
  const widths: Record<string, number> = {};
  for (const [name, place] of Object.entries(places as Record<string, Place>)) {
    widths[name] = place.shape.slice(1).reduce((product: number, n: number) => product * n, 1);
    const count = place.shape[0] * widths[name];
    const type = TYPES[place.type as keyof typeof TYPES];
    const first = 8 + length + place.offset;
    if (place.coding === "delta") arrays[name] = new type(undone(new Uint8Array(buffer, first, 4 * count), widths[name]));
    else arrays[name] = new type(buffer, first, count);
  }
  return { header: header as Header, arrays, widths };
}

/** Numbers of 4 bytes that `planetfall.viewer.pack.coded` wrote: columns first, differences, in planes of bytes. */
function undone(planes: Uint8Array, columns: number): ArrayBuffer {
  const n = planes.length / 4;
  const rows = n / columns;
  const out = new Uint32Array(n);
  let last = 0;
  for (let k = 0, column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++, k++) {
      last = (last + (planes[k] | (planes[k + n] << 8) | (planes[k + 2 * n] << 16) | (planes[k + 3 * n] << 24))) | 0;
      out[row * columns + column] = last;
    }
  }
  return out.buffer;
}

export async function unzip(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export async function readText(text: string): Promise<Pack> {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return decode(await unzip(bytes));
}

/** The part of an address that opens the server's door, from this page's own. */
export function token(): string {
  return `token=${encodeURIComponent(new URLSearchParams(location.search).get("token") ?? "")}`;
}

/** Results from the server that gave this page; `query` adds to the address. */
export async function fetchPack(query = ""): Promise<Pack> {
  const answer = await fetch(`data?${token()}${query}`);
  if (!answer.ok) throw new Error(await answer.text());
  return decode(await unzip(new Uint8Array(await answer.arrayBuffer())));
}

/** Index of the last time at or before `t`; 0 before the first. */
export function indexAt(times: Numbers, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
