// The connection to a session that still runs: packs and states come in, commands go out.
import { decode, type Pack, token, unzip } from "./data";

/** How a session stands. Kinds of session may say more. */
export interface LiveState {
  phase: "waiting" | "running" | "paused" | "finished" | "failed";
  sentence: string;
  /** Simulated time [s]. */
  time: number;
  /** Simulated over real time; null for as fast as it can. */
  pace: number | null;
  /** Present values of the controls, by key. */
  values: Record<string, number>;
  [key: string]: unknown;
}

/** What a page has to know of its session. */
export interface LiveListener {
  /** The scene has grown by a pack of kind "frames". */
  grown?: (pack: Pack) => void;
  /** Another scene takes its place. */
  replaced?: (pack: Pack) => void;
  state?: (state: LiveState) => void;
  /** A command was not followed: the session's sentence. */
  problem?: (sentence: string) => void;
  /** Whether there is a connection; a sentence where there is none. */
  connection?: (isThere: boolean, sentence: string) => void;
}

const WAITS = [0.5, 1, 2, 4, 8]; // seconds before trying again
const LOST = "connection lost; the last frames that came are shown";

export class LiveLink {
  state: LiveState | null = null;
  isThere = false;
  wasThere = false;
  sentence = "";
  private listeners: LiveListener[] = [];
  private socket: WebSocket | null = null;
  private queue: Promise<void> = Promise.resolve();
  private tries = 0;

  constructor(private seen: string) {}

  /** Adds a listener, and tells it how things stand; gives how to end that. */
  listen(listener: LiveListener): () => void {
    this.listeners.push(listener);
    listener.connection?.(this.isThere, this.sentence);
    if (this.state) listener.state?.(this.state);
    return () => (this.listeners = this.listeners.filter((other) => other !== listener));
  }

  connect(): void {
    const address = new URL(`live?${token()}&seen=${this.seen}`, location.href);
    address.protocol = "ws:";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.tries = 0;
      this.setConnection(true, "");
    };
    socket.onmessage = (event) => (this.queue = this.queue.then(() => this.take(event.data)));
    socket.onclose = () => this.lost();
    this.socket = socket;
  }

  send(command: { do: string; [key: string]: unknown }): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
    else this.tell((listener) => listener.problem?.(`${LOST}; nothing can be changed`));
  }

  private async take(data: string | ArrayBuffer): Promise<void> {
    if (typeof data === "string") {
      const message = JSON.parse(data) as { state?: LiveState; problem?: string };
      if (message.state) this.state = message.state;
      this.tell((listener) => {
        if (message.state) listener.state?.(message.state);
        if (message.problem) listener.problem?.(message.problem);
      });
      return;
    }
    const pack = decode(await unzip(new Uint8Array(data)));
    this.seen = pack.header.seen ?? "";
    this.tell((listener) => (pack.header.kind === "frames" ? listener.grown?.(pack) : listener.replaced?.(pack)));
  }

  private lost(): void {
    const wait = WAITS[this.tries++];
    const again = wait === undefined ? "load the page again to try once more" : `trying again in ${wait} s`;
    const isOver = this.state?.phase === "finished" || this.state?.phase === "failed";
    this.setConnection(false, isOver ? "" : `${LOST}; ${again}`);
    if (wait !== undefined && !isOver) setTimeout(() => this.connect(), 1000 * wait);
  }

  private setConnection(isThere: boolean, sentence: string): void {
    this.isThere = isThere;
    this.wasThere ||= isThere;
    this.sentence = sentence;
    this.tell((listener) => listener.connection?.(isThere, sentence));
  }

  private tell(act: (listener: LiveListener) => void): void {
    for (const listener of [...this.listeners]) act(listener);
  }
}
