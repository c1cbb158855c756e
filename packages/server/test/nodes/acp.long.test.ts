import { expect, test } from 'vitest';
import { acpEditor } from '../../../../plugins/acp/src/editor/index.ts';
import { AcpClient, choose, patience, takenBack } from '../../../../plugins/acp/test/acp-client.ts';
import { approval, askFor, asking } from '../../../../plugins/acp/test/asking-plugin.ts';
import { startAtTwo } from './support/open-at-two.ts';

test('[ACP3] editors at two nodes are one conversation, and a node that is lost takes no question along', async () => {
  const two = await startAtTwo({ plugins: [acpEditor, asking] });
  const one = await AcpClient.open({ url: two.a.httpUrl }, { name: 'one' });
  const other = await AcpClient.open({ url: two.b.httpUrl }, { name: 'other' });
  const sessionId = await one.create();
  await other.load(sessionId);
  const ending = one.prompt(sessionId, askFor(approval, approval));
  const here = [await one.question(0), await one.question(1)] as const;
  const there = [await other.question(0), await other.question(1)] as const;
  there[0].answer(choose('deny'));
  await takenBack(here[0]);
  here[0].answer(choose('once')); // too late
  here[1].answer(choose('once'));
  await takenBack(there[1]);
  expect(await ending).toBe('end_turn');
  await expect.poll(() => other.text('agent_message_chunk'), patience).toContain('"deny"');

  const second = other.prompt(sessionId, askFor(approval)); // its turn may run at the other node
  (await one.question(2)).answer(choose('once'));
  expect(await second).toBe('end_turn');

  const third = other.prompt(sessionId, askFor(approval));
  await one.question(3);
  const asked = await other.question(3);
  await two.a.remove();
  asked.answer(choose('once'));
  expect(await third).toBe('end_turn');
}, 90_000);
