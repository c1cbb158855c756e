// node docs/examples/inbox.mjs <url> [token]: asks in the terminal all prompts that wait for a person, over all sessions.
import { createInterface } from 'node:readline/promises';
import { connectServer, ParleyClient } from '@parleyhq/client';

const [url = 'http://127.0.0.1:7420', token] = process.argv.slice(2);
const client = new ParleyClient({ transport: connectServer(url), label: 'Inbox', ...(token && { token }) });
const terminal = createInterface({ input: process.stdin, output: process.stdout });
terminal.once('close', () => process.exit()); // Ctrl-C, Ctrl-D, or the end: unanswered prompts stay open

/** Resolves with the first matching state, now or after a change. */
function until(fits) {
  return new Promise((resolve) => {
    const look = () => {
      if (!fits(client.state)) return;
      stop();
      resolve(client.state);
    };
    const stop = client.subscribe(look);
    look();
  });
}

async function ask({ title, prompt, subject, inputSchema }) {
  for (const words of [title, prompt, subject?.text]) if (words) console.log(words);
  if (!inputSchema) return { action: (await terminal.question('allow? [y/n] ')) === 'y' ? 'approve' : 'deny' };
  const input = {};
  for (const { id, label = id, type, options = [] } of inputSchema.fields) {
    const choice = options.map(({ value }) => value).join(' | ');
    const line = await terminal.question(`${label}${choice && ` (${choice})`}: `);
    if (line !== '') input[id] = type === 'number' ? Number(line) : type === 'checkbox' ? line === 'y' : line;
  }
  return { action: 'submit', input };
}

client.start();
const { connection, complaint } = await until((state) => state.welcome || state.connection === 'refused');
if (connection === 'refused') throw new Error(complaint ?? 'The server did not let this in.');
for (let [entry] = client.state.inbox; entry; [entry] = client.state.inbox) {
  const { sessionId, interaction } = entry;
  const session = client.open(sessionId);
  try {
    await session.respond(interaction, await ask(interaction));
    await until(({ inbox }) => !inbox.some((each) => each.interaction.interactionId === interaction.interactionId));
  } catch (error) {
    console.error(error.message, error.details?.fieldErrors ?? ''); // somebody else was first, or a value is invalid: ask again
  }
  session.close();
}
console.log('Nothing waits for you.');
client.stop();
terminal.close();
