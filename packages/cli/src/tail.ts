import type { SessionClient } from '@parleyhq/client';
import type { ChatEvent } from '@parleyhq/core';
import { followSession, until } from './chat/event-feed.ts';
import { reportConnection, waitForEnd } from './chat/lifeline.ts';
import { explainFault } from './fault.ts';
import { forTerminal } from './line.ts';
import { type Flags, readSettings, SettingsError } from './settings.ts';
import { describeEvent } from './terminal/event-words.ts';
import { layOut, paperOf } from './terminal/piece.ts';
import { useServer } from './use-server.ts';

export type TailFlags = Flags & { readonly lines: string; readonly follow: boolean };

/** `parley tail`: the last events of a session, then each new one until Ctrl-C, through restarts of the server. @throws SettingsError, ExitError */
export async function tailSession(id: string, { lines, follow, ...flags }: TailFlags): Promise<void> {
  const past = lines === 'all' ? Number.POSITIVE_INFINITY : Number(lines);
  if (!/^(\d{1,9}|all)$/.test(lines)) throw new SettingsError(`--lines: must be a number or "all", not "${lines}".`);
  const settings = await readSettings(flags, process.env, process.cwd());
  const print = settings.json ? printJson : makePrinter();
  await useServer(
    settings,
    flags,
    async (client) => {
      await until(client, () => client.state.connection === 'open');
      const session = await followSession(client, id, { past, onEvents: print });
      if (!follow) return;
      reportConnection(client, (words) => process.stderr.write(`${words}\n`));
      await waitForEnd(session);
    },
    { isPatient: true },
  ).catch(explainFault);
}

type Print = (events: readonly ChatEvent[], session: SessionClient) => void;

const printJson: Print = (events) => {
  for (const event of events) process.stdout.write(forTerminal(`${JSON.stringify(event)}\n`));
};

/** The time stands before each piece, and the day where it changes; both are UTC, as in exports. */
function makePrinter(): Print {
  let today: string | undefined;
  return (events, { state: { items } }) => {
    const paper = paperOf(process.stdout);
    for (const event of events) {
      const [day = '', time = ''] = event.timestamp.split('T');
      const piece = describeEvent(event, items);
      if (!piece) continue;
      const head = day === today ? [] : [paper.paint('quiet', `-- ${day} (UTC)`)];
      today = day;
      const rows = layOut({ ...piece, mark: `${time.slice(0, 8)} ${piece.mark}` }, paper);
      process.stdout.write([...head, ...rows, ''].join('\n'));
    }
  };
}
