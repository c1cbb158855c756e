import {
  burstSeconds,
  type Connection,
  closeCodes,
  countFrame,
  type FrameBatch,
  type PluginLog,
  type SocketDoor,
  type SocketLine,
  TokenBucket,
  type Translation,
} from '@parleyhq/core';

/** What a translation of a plugin gets, apart from its connection. */
export interface TranslatorOptions extends Pick<SocketLine, 'log' | 'pageUrl'> {
  readonly socket: SocketDoor;
}

/** The socket of a client, as far as reading from it can be suspended. */
interface Suspendable {
  pause(): void;
  resume(): void;
}

/**
 * A connection whose client speaks the protocol of a plugin. Messages come no faster than frames may: further ones wait in the
 * socket, so that none is lost, not even an answer (SEC6).
 */
export class TranslatedSocket {
  /** The connection that the server writes its frames to. */
  readonly connection: Connection;
  readonly #client: Connection;
  readonly #source: Suspendable;
  readonly #bucket: TokenBucket;
  readonly #log: PluginLog;
  readonly #waiting: string[] = [];
  #translation: Translation | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the translation has failed or its connection has ended. */
  #isOver = false;

  /**
   * @param client - the connection that messages for the client are written to
   * @param receive - takes the frames of the client
   */
  constructor(
    options: TranslatorOptions,
    {
      client,
      source,
      framesPerSecond: perSecond,
      receive,
    }: {
      readonly client: Connection;
      readonly source: Suspendable;
      readonly framesPerSecond: number;
      readonly receive: (frame: string) => void;
    },
  ) {
    this.#client = client;
    this.#source = source;
    this.#bucket = new TokenBucket({ perSecond, burst: perSecond * burstSeconds });
    this.#log = options.log;
    this.connection = {
      id: client.id,
      send: (batch) => this.#deliverSoon(batch),
      drained: () => client.drained(),
      close: (code, reason) => client.close(code, reason),
    };
    const line: SocketLine = {
      log: options.log,
      pageUrl: options.pageUrl,
      toClient: (text) => client.send({ texts: [text] }),
      toServer: (frame) => queueMicrotask(() => this.#isOver || receive(frame)),
    };
    this.#guard(() => {
      this.#translation = options.socket.translate(line);
    });
  }

  /** Takes a message of the client, or has it wait for its turn. */
  take(text: string): void {
    this.#waiting.push(text);
    if (this.#timer === undefined) this.#work();
  }

  /** The connection has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#try(() => this.#translation?.end());
  }

  #work(): void {
    this.#timer = undefined;
    for (;;) {
      if (this.#isOver) return;
      const [text] = this.#waiting;
      if (text === undefined) {
        this.#source.resume();
        return;
      }
      if (!this.#bucket.take(performance.now(), countFrame(Buffer.byteLength(text)))) break;
      this.#waiting.shift();
      this.#guard(() => this.#translation?.fromClient(text));
    }
    this.#source.pause();
    this.#timer = setTimeout(() => this.#work(), Math.max(1, this.#bucket.waitMs)).unref();
  }

  /** Waits for the end of the tick, because a batch may grow until its texts are read. */
  #deliverSoon(batch: FrameBatch): void {
    process.nextTick(() => {
      for (const text of batch.texts) this.#guard(() => this.#translation?.fromServer(text));
    });
  }

  #guard(translate: () => void): void {
    if (!this.#isOver) this.#try(translate);
  }

  #try(translate: () => void): void {
    try {
      translate();
    } catch (error) {
      this.#isOver = true;
      this.#log.error('the translation of a socket failed', { error });
      this.#client.close(closeCodes.serverError, 'the translation failed');
    }
  }
}
