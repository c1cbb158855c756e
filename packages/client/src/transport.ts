/** What a link tells the connection. After `onClose` it says nothing more. */
export interface LinkHandlers {
  onOpen(): void;
  onText(text: string): void;
  onClose(code: number, reason: string): void;
}

/** One attempt at a live line to the server. */
export interface Link {
  send(text: string): void;
  close(): void;
}

/** How frames travel; which one is in use is nobody else's business (TRN1). */
export type Transport = (handlers: LinkHandlers) => Link;
