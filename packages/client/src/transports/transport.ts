/** Close code of a WebSocket that broke or never opened (RFC 6455). */
export const lostCode = 1006;

/** Callbacks of a link. None is called after `onClose`. */
export interface LinkHandlers {
  onOpen(): void;
  onText(text: string): void;
  onClose(code: number, reason: string): void;
}

/** One attempt to connect to the server, and the connection if it succeeds. */
export interface Link {
  send(text: string): void;
  close(): void;
}

/** Opens a link. Everything else works the same over any transport (TRN1). */
export type Transport = (handlers: LinkHandlers) => Link;
