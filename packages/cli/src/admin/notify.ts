import { ExitError } from '@parleyhq/core';
import { forTerminal, toLine } from '../io/line.ts';
import { addHint } from '../running-server/explain-error.ts';
import { tokenHint } from '../running-server/running-server.ts';
import { ServerHttp } from '../running-server/server-http.ts';
import { type Flags, readSettings } from '../settings/settings.ts';

/** `parley notify test`: prints one line per recipient. @throws ExitError if a recipient could not be notified (NTF4) */
export async function testNotifier(name: string, { to, ...flags }: Flags & { readonly to?: string }): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  const { results, absent } = await new ServerHttp(settings, flags)
    .testNotifier(name, to)
    .catch((error: unknown) => addHint(error, { unauthorised: tokenHint }));
  for (const result of results) {
    const { principal, name: called = principal, isTold, code, fault } = result;
    const words = `${called}: ${isTold ? 'notified' : `not notified (${code}): ${fault}`}`;
    process.stdout.write(settings.json ? forTerminal(`${JSON.stringify(result)}\n`) : toLine(words));
  }
  for (const word of absent)
    process.stderr.write(toLine(`parley: no token has the name or id "${word}": nobody is notified for it.`));
  const failed = results.filter(({ isTold }) => !isTold).length;
  if (failed > 0) throw new ExitError(1, `${failed} of ${results.length} could not be notified.`);
}
