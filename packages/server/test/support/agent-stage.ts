import type { AgentStage } from '@parleyhq/server/testing';
import { Journey, pluginPath } from './journey.ts';
import { ServerProcess, type StartOptions } from './server-process.ts';

/** Opens a stage of the agent contract: a real server process that can crash. */
export async function openStage(options: StartOptions): Promise<AgentStage> {
  const server = await ServerProcess.start({ ...options, plugins: [pluginPath('tools.mjs')] });
  let journey = await Journey.begin(server);
  return {
    say: (words) => journey.tab.say(journey.session, words),
    event: (type, accepts, after) => journey.event(type, accepts, after),
    async streamed() {
      const { frames } = journey.tab;
      const last = frames.findLastIndex((frame) => frame.type === 'chat_event' && frame.event.type === 'error');
      await journey.tab.until(
        (frame) =>
          (frame.type === 'stream' && frame.kind === 'text') ||
          // it was written before the tab connected
          (frame.type === 'snapshot' && frame.streams.some(({ kind }) => kind === 'text')),
        last + 1,
      );
    },
    answer: (prompt, input) => journey.submit(prompt, input),
    stop: () => journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session }),
    async crash() {
      await server.restart();
      journey = await journey.join(server);
    },
    remove: () => server.remove(),
  };
}
