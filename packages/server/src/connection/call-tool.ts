import type { ClientFrameOf } from '@parleyhq/core';
import type { Client } from '@parleyhq/runtime';
import { runForCaller } from '../extensions/programs/run-for-caller.ts';
import type { Services } from './services.ts';

interface CallContext {
  readonly client: Client;
  readonly services: Pick<Services, 'programs'>;
}

/** Begins a call. Its outcome follows the reply as a frame of its own (ASK5). */
export async function callTool({ client, services: { programs } }: CallContext, frame: ClientFrameOf<'call_tool'>) {
  const call = await programs.calls.begin(client, frame);
  const { sessionId, toolCallId } = call;
  void runForCaller(programs, client, call, { until: client.gone, isConnected: true }).then(
    (outcome) => {
      if (outcome) setImmediate(() => client.send({ type: 'call_result', sessionId, toolCallId, ...outcome })); // after the reply
    },
    (error: unknown) => programs.log.warn({ sessionId, toolCallId, error }, 'a call could not be followed'),
  );
  return { sessionId, toolCallId };
}
