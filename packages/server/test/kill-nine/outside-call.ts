import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '@parleyhq/core';

export interface OutsideCall {
  readonly channel: string;
  readonly callId: string;
  readonly toolName: string;
  readonly args: Json;
}

/** Reply to a call. */
export interface CallReply {
  readonly http: number;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly result?: Json;
}

/** Repeats a call over HTTP until it has its result, through restarts of the server, whose port is in a file. */
export async function callUntilDone(portFile: string, call: OutsideCall): Promise<CallReply> {
  for (;;) {
    const reply = await send(readFileSync(portFile, 'utf8'), call).catch(() => undefined); // the server is down
    if (reply && reply.status !== 'open' && reply.http < 500) return reply;
    await sleep(15);
  }
}

async function send(port: string, call: OutsideCall): Promise<CallReply & { readonly status?: 'open' | 'done' }> {
  const response = await fetch(`http://127.0.0.1:${port}/api/calls?wait=60`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(call),
  });
  return { http: response.status, ...((await response.json()) as Omit<CallReply, 'http'>) };
}
