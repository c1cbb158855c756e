import type { ParleyClient } from '@parleyhq/client';
import { toLine } from '../io/line.ts';
import { explainFault } from '../running-server/explain-error.ts';
import { findServer } from '../running-server/named-server.ts';
import { ServerHttp } from '../running-server/server-http.ts';
import { useServer } from '../running-server/use-server.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { SettingsError } from '../settings/settings.ts';
import { makeEventPrinter } from '../terminal/event-printer.ts';
import { followSession, until } from './event-feed.ts';
import { sendLines } from './piped-chat.ts';
import { reportConnection, waitForEnd } from './report-connection.ts';

export type ChatFlags = ServerFlags & { readonly agent?: string };

/** How many past events a person sees first. */
const pastShown = 30;

/** `parley chat`: interactive at a terminal, otherwise line by line over stdin and stdout. @throws SettingsError, ExitError */
export async function chat(id: string | undefined, { agent, ...flags }: ChatFlags): Promise<void> {
  if (id !== undefined && agent !== undefined) throw new SettingsError('--agent: only a new session takes it.');
  const server = await findServer(flags);
  const { json } = server.settings;
  const isAtTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY && !json);
  const work = async (client: ParleyClient): Promise<void> => {
    await until(client, () => client.state.connection === 'open');
    const sessionId = id ?? (await client.createSession(agent === undefined ? {} : { agent })).id;
    const place = `Session ${sessionId} at ${server.url}/s/${sessionId}`;
    if (isAtTerminal) await chatAtTerminal(client, { sessionId, place, http: new ServerHttp(server) });
    else await chatInPipe(client, sessionId, { place: id === undefined ? place : undefined, isJson: json });
  };
  const hints = {
    unknown_agent: 'The page lists the agents that exist.',
    forbidden:
      'To begin a session takes a person’s token with the role responder or operator, and with another agent an operator’s.',
  };
  await useServer(server, work, { isPatient: true, isInteractive: isAtTerminal }).catch((error: unknown) =>
    explainFault(error, hints),
  );
}

async function chatAtTerminal(
  client: ParleyClient,
  { sessionId, place, http }: { sessionId: string; place: string; http: ServerHttp },
): Promise<void> {
  const { TerminalChat } = await import('./terminal-chat.ts');
  const talk = new TerminalChat(client, http);
  talk.say('quiet', '--', `${place}\n/help lists the commands.`);
  const session = await followSession(client, sessionId, {
    past: pastShown,
    onEvents: (events, from) => talk.show(events, from),
  });
  reportConnection(client, (words) => talk.say('bad', '!', words));
  talk.start(session);
  try {
    process.exitCode = await Promise.race([talk.over, waitForEnd(session)]);
  } finally {
    talk.close();
  }
}

async function chatInPipe(
  client: ParleyClient,
  sessionId: string,
  { place, isJson }: { place: string | undefined; isJson: boolean },
): Promise<void> {
  if (place !== undefined) process.stderr.write(toLine(place));
  const session = await followSession(client, sessionId, { past: 0, onEvents: makeEventPrinter({ isJson }) });
  reportConnection(client, (words) => process.stderr.write(toLine(words)));
  await Promise.race([sendLines(session), waitForEnd(session)]);
}
