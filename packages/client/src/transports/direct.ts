import type { Transport } from './transport.ts';

/** The client's end of a connection within one process. */
export interface Pipe {
  send(text: string): void;
  close(): void;
  onmessage: ((text: string) => void) | null;
  onclose: ((code: number, reason: string) => void) | null;
}

/** Connects within one process. Each attempt to connect opens a new pipe. */
export function connectDirect(openPipe: () => Pipe): Transport {
  return (handlers) => {
    const pipe = openPipe();
    let isClosed = false;
    const close = (code: number, reason: string) => {
      if (isClosed) return;
      isClosed = true;
      handlers.onClose(code, reason);
    };
    pipe.onmessage = (text) => isClosed || handlers.onText(text);
    pipe.onclose = close;
    queueMicrotask(() => isClosed || handlers.onOpen());
    return {
      send: (text) => pipe.send(text),
      close: () => {
        pipe.close();
        close(1000, '');
      },
    };
  };
}
