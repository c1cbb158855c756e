import { explainFault } from '../running-server/explain-error.ts';
import { findServer } from '../running-server/named-server.ts';
import { useServer } from '../running-server/use-server.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { SettingsError } from '../settings/settings.ts';
import { makeEventPrinter } from '../terminal/event-printer.ts';
import { followSession, until } from './event-feed.ts';
import { reportConnection, waitForEnd } from './report-connection.ts';

export type TailFlags = ServerFlags & { readonly lines: string; readonly follow: boolean };

/**
 * `parley tail`: prints a session's last events, then new ones until Ctrl-C, also across server restarts.
 * @throws SettingsError, ExitError
 */
export async function tailSession(id: string, { lines, follow, ...flags }: TailFlags): Promise<void> {
  const past = lines === 'all' ? Number.POSITIVE_INFINITY : Number(lines);
  if (!/^(\d{1,9}|all)$/.test(lines)) throw new SettingsError(`--lines: must be a number or "all", not "${lines}".`);
  const server = await findServer(flags);
  const print = makeEventPrinter({ isJson: server.settings.json, isTimed: true });
  await useServer(
    server,
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
