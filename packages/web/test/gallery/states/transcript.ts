import { approval } from '../../samples.ts';
import type { GalleryState, Stage } from '../stage.ts';

/** A flag in three colours, of 96 × 64 pixels. */
const flag =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABACAIAAABqVuVZAAAAfklEQVR42u3QMQ0AIAwAsPnh4EcLHvDBMzWIwQ0qlnA0qYJGX6fU3a3UyFkqBAkSJEiQIEGCBAkSJEiQIEGCBAkSJEiQIEGCBAkSJEiQIEGCBAkSJEiQIEGCBAkSJEiQIEGCBAkSJEiQIEGCBAkSJEiQIEGCBAkSJEiQoP+CHqXsMeE8iaY8AAAAAElFTkSuQmCC';

/** Content blocks as in MCP (AGT4). */
const mediaBlocks = [
  { type: 'text', text: 'The flag and its hymn.' },
  { type: 'image', mimeType: 'image/png', data: flag },
  { type: 'audio', mimeType: 'audio/mpeg', data: 'SUQzBAAAAAAA' },
  { type: 'resource', mimeType: 'application/pdf', data: 'JVBERi0xLjcK' },
  { type: 'resource_link', name: 'The rules', uri: 'https://example.org/flags' },
];

const answer = `## What I found

The port was **below 1024**, which needs rights that \`serve\` does not have:

1. read the settings
2. *raise* the port, see [the guide](https://example.org/ports)

\`\`\`ts
// Above 1024 nobody needs rights.
export const port = 8080;
\`\`\`

| Port | Needs rights |
|---|---|
| 80 | yes |
| 8080 | no |

> As short as it gets.`;

const edit = {
  file_path: 'src/server.ts',
  old_string: 'const host = "localhost";\nconst port = 80;\nlisten(port);',
  new_string: 'const host = "localhost";\nconst port = 8080;\nlisten(port, host);',
};

function work(stage: Stage): void {
  stage.open();
  stage.startTurn('Why does the server not start?');
  stage.append({ type: 'thinking_done', payload: { block: 0, text: 'First the settings.' } });
  stage.call('a', 'Read', { file_path: 'src/server.ts' });
  stage.result('a', 'Read', { result: 'import { listen } from "./listen.ts";\n\nconst port = 80;\n' });
  stage.call('b', 'Grep', { pattern: 'listen\\(' });
  stage.result('b', 'Grep', { result: 'src/server.ts\nsrc/listen.ts\n' });
  stage.call('c', 'Edit', edit);
  stage.result('c', 'Edit', { result: 'Done.' });
  stage.call('d', 'run_command', { command: 'npm test -- --project unit packages/server/src/http && echo done' });
  stage.result('d', 'run_command', { error: { code: 'exit', message: 'The command ended with 1.' } });
  stage.call('e', 'lookup_order', { id: 4711, customer: 'Ada' });
  stage.result('e', 'lookup_order', { error: { code: 'cancelled', message: 'Cancelled.' } });
}

const many = (stage: Stage) => {
  stage.open();
  stage.startTurn('Count.');
  for (let n = 0; n < 60; n += 1) stage.say(n % 20 === 7 ? `A needle: ${n}` : `Hay, ${n}.`);
  stage.end();
};

export const transcriptStates: readonly GalleryState[] = [
  { name: 'transcript: tools', before: work },
  { name: 'transcript: output', before: work, after: (stage) => stage.click(/^Read/) },
  { name: 'transcript: changes', before: work, after: (stage) => stage.click(/^Edit/) },
  {
    name: 'transcript: answer',
    before: (stage) => {
      stage.open();
      stage.startTurn('Why does the server not start?');
      stage.say(answer);
      stage.end({ usage: { inputTokens: 1200, outputTokens: 80 } });
    },
  },
  {
    name: 'transcript: printing',
    before: (stage) => {
      stage.open();
      stage.startTurn('Build it.');
      stage.call('c', 'run_command', { command: 'npm run build' });
      stage.print('c', Array.from({ length: 40 }, (_, n) => `building part ${n + 1} of 60\n`).join(''));
    },
  },
  {
    name: 'transcript: working',
    before: (stage) => {
      stage.open();
      stage.startTurn();
    },
  },
  {
    name: 'transcript: stopped',
    before: (stage) => {
      stage.open();
      stage.startTurn();
      stage.append({ type: 'assistant_done', payload: { block: 0, text: 'First I bui', interrupted: true } });
      stage.end({ status: 'cancelled' });
    },
  },
  {
    name: 'transcript: failed',
    before: (stage) => {
      stage.open();
      stage.startTurn();
      stage.append({
        type: 'error',
        payload: { code: 'overloaded', message: 'The model is overloaded; trying again.' },
      });
      stage.end({ status: 'error', error: { code: 'overloaded', message: 'The model is overloaded.' } });
    },
  },
  {
    name: 'transcript: interrupted call',
    before: (stage) => {
      stage.open();
      stage.startTurn();
      stage.call('c', 'run_command', { command: 'npm publish' });
      stage.append({ type: 'turn_resumed', payload: { owner: 'again' } });
      stage.result('c', 'run_command', {
        error: { code: 'interrupted', message: 'The server stopped while this ran; whether it was done is not known.' },
      });
    },
  },
  {
    name: 'transcript: media that a tool returned',
    before: (stage) => {
      stage.open();
      stage.startTurn();
      stage.call('c', 'mcp__paint__draw', { what: 'a flag' });
      stage.result('c', 'mcp__paint__draw', { result: { content: mediaBlocks } });
      stage.end({ usage: { inputTokens: 1200, outputTokens: 80 } });
    },
    after: (stage) => stage.click(/draw/),
  },
  {
    name: 'transcript: told and changed',
    before: (stage) => {
      stage.open();
      stage.startTurn();
      stage.call('c', 'tell_human', { text: 'The tests are **green**.' });
      stage.result('c', 'tell_human', { result: { ok: true } });
      stage.append({ type: 'session_changed', payload: { title: 'Release 2.1', by: stage.grace } });
      stage.append({ type: 'from_the_future', payload: { word: 7 } } as never);
    },
  },
  {
    name: 'transcript: queued messages',
    before: (stage) => {
      stage.open();
      stage.startTurn();
      for (const text of ['And the release notes.', `A long one ${'and so on '.repeat(40)}`])
        stage.append({ type: 'message_queued', payload: { messageId: text.slice(0, 9), text, origin: 'user' } });
    },
  },
  {
    name: 'transcript: right to left',
    before: (stage) => {
      stage.open('מהדורה 2.1');
      stage.startTurn('בבקשה לשחרר את הגרסה');
      stage.say('אני בונה קודם.\n\n- בדיקה\n- שחרור');
      stage.ask('c.1', { ...approval, title: 'לשחרר?', prompt: 'גרסה 2.1 תעלה.' });
    },
  },
  {
    name: 'transcript: search',
    before: many,
    after: async (stage) => {
      await stage.find('.row');
      stage.press('/');
      await stage.type('[aria-label="Search this session"]', 'needle');
      await stage.find('.row.found');
    },
  },
];
