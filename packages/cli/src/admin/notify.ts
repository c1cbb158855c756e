import { ExitError } from '@parleyhq/core';
import { toJsonLine, toLine } from '../io/line.ts';
import { addHint } from '../running-server/explain-error.ts';
import { findServer } from '../running-server/named-server.ts';
import { tokenHint } from '../running-server/running-server.ts';
import { ServerHttp } from '../running-server/server-http.ts';
import type { ServerFlags } from '../settings/flags.ts';

/** `parley notify test`: prints one line per recipient. @throws ExitError if a recipient could not be notified (NTF4) */
export async function testNotifier(
  name: string,
  { to, ...flags }: ServerFlags & { readonly to?: string },
): Promise<void> {
  const server = await findServer(flags);
  const { results, absent } = await new ServerHttp(server)
    .testNotifier(name, to)
    .catch((error: unknown) => addHint(error, { unauthorised: tokenHint }));
  for (const result of results) {
    const { principal, name: called = principal, isTold, code, fault } = result;
    const words = `${called}: ${isTold ? 'notified' : `not notified (${code}): ${fault}`}`;
    process.stdout.write(server.settings.json ? toJsonLine(result) : toLine(words));
  }
  for (const word of absent)
    process.stderr.write(toLine(`parley: no token has the name or id "${word}": nobody is notified for it.`));
  const failed = results.filter(({ isTold }) => !isTold).length;
  if (failed > 0) throw new ExitError(1, `${failed} of ${results.length} could not be notified.`);
}
