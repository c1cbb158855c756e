import type { PluginLog } from './tool.ts';

/** One connection at a socket door, between its client and the server. */
export interface SocketLine {
  readonly log: PluginLog;
  /** Address of the pages of this server, without a slash at its end. */
  readonly pageUrl: string;
  /** Sends a text message to the client. */
  toClient(text: string): void;
  /** Sends a frame of Parley's protocol, as JSON, for the client. The first one is a `hello` without a token. */
  toServer(frame: string): void;
}

/** The protocol of one client. An error that a method throws is logged and ends the connection. */
export interface Translation {
  /** Takes a text message of the client. */
  fromClient(text: string): void;
  /** Takes a frame of the server for the client, as JSON. */
  fromServer(frame: string): void;
  /** The connection has ended. */
  end(): void;
}

/**
 * A WebSocket at which clients speak another protocol, which the plugin translates to frames and back. Host, Origin and the
 * credential of a person are checked before the upgrade. What the client may see and do follows from its credential, and limits of
 * size, rate and backlog apply, as for every connection (SEC3, SEC4, SEC6).
 */
export interface SocketDoor {
  /** Relative: below `/plugins/<name of the plugin>/`. Absolute, such as `/chat`: exactly this path, if nobody else uses it. */
  readonly path: string;
  /** Begins the translation for a client that was let in. */
  translate(line: SocketLine): Translation;
}
