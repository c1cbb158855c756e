import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { useServer } from '../../server/test/support/use-server.ts';
import { keys, Terminal } from './support/terminal.ts';

const server = useServer({ plugins: [pluginPath('asking.mjs')] });

async function openChat(columns: number) {
  const journey = await Journey.begin(server);
  const place = ['--port', String(server.ready.port), '--data-dir', server.dataDir];
  const chat = Terminal.open(['chat', journey.session, ...place], { columns, env: { TZ: 'Europe/Berlin' } });
  await chat.endsWith('\n>');
  return { journey, chat };
}

test('[ASK8, INT16] every type of field is filled in at a terminal of forty columns', async () => {
  const { journey, chat } = await openChat(40);
  /** Answers the next field. */
  const fill = async (label: string, ...typed: string[]) => {
    await chat.shows(new RegExp(`[◆▲] {2}${label}[^◆▲]*$`));
    chat.type(...typed, keys.enter);
  };
  chat.type('/call all_fields', keys.enter);
  await fill('Full name', keys.eraseLine, 'Grace Hopper');
  await fill('Email', 'grace');
  await chat.shows('Must be an email address.');
  await fill('Email', '@navy.example');
  await fill('Invitation code', 'wrong');
  await fill('About', 'First line', keys.enter, 'Second line', keys.enter);
  await fill('Age', '85');
  await fill('Budget', '1.5');
  await fill('Home town', keys.down, keys.down, keys.down);
  await fill('Home town: what else', 'New York');
  await fill('Languages', keys.down, ' ');
  await fill('Reach me by', keys.down);
  await fill('Phone', '12345');
  await fill('Send me news', keys.down);
  await fill('Password', 'canary-4711');
  await fill('First day', '2026-02-30');
  await chat.shows('Must be a date');
  await fill('First day', keys.eraseLine, '2026-02-28');
  await fill('Time', '09:30');
  await fill('Call me at', '2026-03-29 02:30');
  await chat.shows('That time does not exist on that day.');
  await fill('Call me at', keys.eraseLine, '2026-07-01 10:15');
  await fill('Fill in "Address"');
  await fill('Send it');
  // Only the server checks patterns: it reports the value that does not match, and only that field is asked again.
  await chat.shows(/\? Invitation code: Does not have the\s+expected form\./);
  await fill('Invitation code', keys.eraseLine, 'ABC-123');
  await fill('Send it');
  await chat.shows('= Submitted, by owner (parley)');
  expect((await journey.event('interaction_response')).payload.input).toEqual({
    name: 'Grace Hopper',
    email: 'grace@navy.example',
    code: 'ABC-123',
    about: 'First line\nSecond line',
    age: 85,
    budget: 1.5,
    city: { other: 'New York' },
    languages: ['en', 'fr'],
    contact: 'phone',
    phone: '12345',
    news: false,
    password: { redacted: true },
    day: '2026-02-28',
    time: '09:30',
    moment: '2026-07-01T10:15:00+02:00',
  });
  expect(chat.raw).not.toContain('canary');
});
