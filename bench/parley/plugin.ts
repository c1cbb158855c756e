import { type Agent, definePlugin, defineTool } from '@parleyhq/core';
import { type AskSpec, runAsks } from '../process/ask-run.ts';
import { cpu } from '../process/clock.ts';
import { type StreamSpec, writeDeltas } from '../process/deltas.ts';
import type { Turnstile } from '../process/turnstile.ts';
import { WorkCounter } from './work-counter.ts';

/** A tool that asks in a loop and an agent that streams; `onRun` receives the measurements of each run. */
export function makeBenchPlugin(turnstile: Turnstile, onRun: (report: unknown) => void) {
  const ask = defineTool({
    name: 'bench_ask',
    description: 'Asks again and again.',
    parameters: { type: 'object' },
    async handler(args, ctx) {
      const spec = args as unknown as AskSpec;
      const counter = spec.isCounted ? new WorkCounter() : undefined;
      counter?.start();
      const report = await runAsks(spec, turnstile, (n) => {
        counter?.mark();
        return ctx.requestInteraction({
          type: 'approval',
          key: `ask-${n}`,
          prompt: 'Go on?',
          subject: { kind: 'command', text: 'rm -rf build' },
        });
      });
      onRun({ ...report, work: counter?.stop() });
      return { asked: report.asked.length };
    },
  });
  const stream: Agent = {
    name: 'bench-stream',
    async *run({ startSeq, read }) {
      const message = (await read(startSeq - 2)).find((event) => event.type === 'user_message');
      const spec: StreamSpec = JSON.parse(message?.payload.text ?? '{}');
      const cpuBefore = cpu();
      for await (const delta of writeDeltas(spec)) yield { type: 'text', text: delta } as const;
      onRun({ cpu: cpu() - cpuBefore });
    },
  };
  return definePlugin({ name: 'bench', tools: [ask], agents: [stream] });
}
