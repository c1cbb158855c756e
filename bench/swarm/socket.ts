import { connect, type Socket } from 'node:net';

/** Receives the first bytes of a frame; `length` is that of the whole frame. */
export type OnFrame = (bytes: Buffer, start: number, length: number) => void;

const upgrade = [
  'GET /ws HTTP/1.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: cGFybGV5LWJlbmNobWFyaw==',
];

/**
 * A WebSocket client of minimal cost: it skips from header to header and passes on only the beginning of each frame, so
 * that a thousand of them in one process do not dominate the measurement.
 */
export class RawSocket {
  readonly #socket: Socket;
  readonly #onFrame: OnFrame;
  /** The number of bytes of a frame that are passed on. */
  readonly #shown: number;
  readonly ready: Promise<void>;
  #rest: Buffer | undefined;
  #skip = 0;
  #isOpen = false;
  #onOpen = () => {};

  constructor(port: number, shown: number, onFrame: OnFrame) {
    this.#shown = shown;
    this.#onFrame = onFrame;
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (count, buffer) => this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, count)),
      },
    });
    this.#socket.on('connect', () =>
      this.#socket.write(`${[...upgrade, `Host: 127.0.0.1:${port}`].join('\r\n')}\r\n\r\n`),
    );
    this.#socket.on('error', () => this.#socket.destroy());
    this.ready = new Promise((resolve, reject) => {
      this.#onOpen = resolve;
      this.#socket.once('close', () => reject(new Error('the connection was closed')));
    });
    this.ready.catch(() => undefined);
  }

  send(text: string): void {
    const body = Buffer.from(text);
    const isShort = body.length < 126;
    const frame = Buffer.alloc((isShort ? 6 : 8) + body.length); // with a mask of zero the body needs no masking
    frame[0] = 0x81;
    frame[1] = 0x80 | (isShort ? body.length : 126);
    if (!isShort) frame.writeUInt16BE(body.length, 2);
    body.copy(frame, frame.length - body.length);
    this.#socket.write(frame);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): boolean {
    let bytes = chunk;
    if (this.#rest) bytes = Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = this.#isOpen ? 0 : this.#passHandshake(bytes);
    if (this.#isOpen) at = this.#walk(bytes, at);
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at)); // a copy: the buffer is shared
    return true;
  }

  #passHandshake(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return 0;
    if (!bytes.subarray(0, 12).equals(switching)) throw new Error(bytes.toString('latin1', 0, end));
    this.#isOpen = true;
    this.#onOpen();
    return end + 4;
  }

  /** Returns the offset of the first frame whose beginning is not complete yet. */
  #walk(bytes: Buffer, from: number): number {
    let at = from;
    for (;;) {
      const passed = Math.min(this.#skip, bytes.length - at);
      this.#skip -= passed;
      at += passed;
      const left = bytes.length - at;
      if (left < 2) return at;
      const short = (bytes[at + 1] as number) & 127;
      const header = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (left < header) return at;
      const length =
        short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
      if (left < header + Math.min(length, this.#shown)) return at;
      if (bytes[at] === 0x81) this.#onFrame(bytes, at + header, length);
      this.#skip = length;
      at += header;
    }
  }
}

/** Shared by all sockets: the unread rest is copied before the next socket reads. */
const shared = Buffer.allocUnsafe(256 * 1024);
const switching = Buffer.from('HTTP/1.1 101');
