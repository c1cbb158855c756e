import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer();

test('[FRM1, INT14] presence counts followers, those who can answer and those enabled, as they come, change and go', async () => {
  const first = await server.open();
  const session = await first.createSession();
  const says = (connections: number, interactive: number, enabled: number) =>
    first.until((frame, index = first.frames.indexOf(frame)) => {
      const isLast = !first.frames.slice(index + 1).some(({ type }) => type === 'presence');
      return (
        isLast &&
        frame.type === 'presence' &&
        frame.sessionId === session &&
        frame.connections === connections &&
        frame.interactive === interactive &&
        frame.enabled === enabled
      );
    });

  await first.follow(session);
  await says(1, 1, 1);
  const second = await server.open({ enabled: false });
  await says(1, 2, 1);
  await second.follow(session);
  await says(2, 2, 1);
  await second.ask({ type: 'set_interaction_mode', enabled: true });
  await says(2, 2, 2);
  await second.ask({ type: 'set_interaction_mode', enabled: false });
  await says(2, 2, 1);
  await second.ask({ type: 'unsubscribe', sessionId: session });
  await says(1, 2, 1);
  await second.follow(session);
  await says(2, 2, 1);
  second.terminate();
  await says(1, 1, 1);
});

test('[INT14] a thousand changes of the mode leave the counts exact', async () => {
  const [watcher, flipper] = await Promise.all([server.open(), server.open()]);
  const session = await watcher.createSession();
  await Promise.all([watcher.follow(session), flipper.follow(session)]);
  for (let n = 0; n < 1000; n += 1) flipper.send({ type: 'set_interaction_mode', enabled: n % 2 === 0 });
  await flipper.ask({ type: 'set_interaction_mode', enabled: true });
  const from = watcher.frames.length;
  await flipper.close();
  const last = await watcher.until((frame) => frame.type === 'presence' && frame.connections === 1, from);
  const others = 1; // the first tab of the first test is still connected
  expect(last).toMatchObject({ interactive: 1 + others, enabled: 1 + others });
});
