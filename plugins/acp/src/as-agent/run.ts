import { limits, type ServerSocket, type SubcommandContext } from '@parleyhq/core';
import { drained, readLines, writeTo } from '../editor/lines.ts';
import { readMessage, writeError } from '../editor/message.ts';
import { rpcCodes } from './rpc.ts';
import { agentPath } from './socket-door.ts';

/**
 * `parley acp-serve`: connects an editor on stdin and stdout to the agent socket of a running server, line by message, once the
 * editor begins: the server waits for the first message only a few seconds.
 * @throws Error if there is no connection, or it ends before the editor does
 */
export async function serveEditor({ openSocket }: Pick<SubcommandContext, 'openSocket'>): Promise<void> {
  const lines = readLines(process.stdin);
  const first = await lines.next();
  if (first.done) return;
  try {
    await relay(await openSocket(agentPath), first.value, lines);
  } finally {
    process.stdin.destroy(); // waiting for the editor would keep the process alive
  }
}

/** @throws Error if the connection ends before the editor does */
async function relay(
  { readable, writable, closed }: ServerSocket,
  first: Buffer,
  lines: AsyncIterable<Buffer>,
): Promise<void> {
  let hasEnded = false;
  const sending = sendLines([first, lines], writable, () => {
    hasEnded = true;
  });
  sending.catch(() => undefined); // the connection broke, which `closed` says
  try {
    for await (const text of readable as ReadableStream<string> & AsyncIterable<string>) {
      writeTo(process.stdout, `${text}\n`);
      await drained(process.stdout);
    }
  } catch {
    // the same
  }
  const { code, reason } = await closed;
  if (!hasEnded) throw new Error(`The server ended the connection (${code})${reason && `: ${reason}`}.`);
}

/** Sends each line as a message, until the editor ends. */
async function sendLines(
  [first, rest]: readonly [Buffer, AsyncIterable<Buffer>],
  writable: WritableStream<string>,
  onEnd: () => void,
): Promise<void> {
  const writer = writable.getWriter();
  const send = async (line: Buffer) => {
    const text = line.toString().trim();
    if (Buffer.byteLength(text) > limits.frameBytes) refuse(text);
    else if (text !== '') await writer.write(text);
  };
  await send(first);
  for await (const line of rest) await send(line);
  onEnd();
  await writer.close();
}

/** Refuses a message that is too large for the server, which would end the connection. */
function refuse(text: string): void {
  const message = readMessage(text);
  const words = `A message has at most ${limits.frameBytes} bytes.`;
  const id = message?.type === 'request' ? message.id : undefined;
  if (message?.type === 'request' || message === undefined)
    writeTo(process.stdout, writeError(id ?? 'null', rpcCodes.invalidRequest, words));
  else process.stderr.write(`${words} One was not sent.\n`);
}
