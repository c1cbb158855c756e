import type { Command } from 'commander';
import { exampleText } from '../io/example-text.ts';
import { addDataFlags, type DataFlags } from '../settings/flags.ts';

type Report = (run: () => Promise<void>) => Promise<void>;

/** Adds `parley passkeys` and its command (SIGN2). */
export function addPasskeys(program: Command, report: Report): void {
  const passkeys = program
    .command('passkeys')
    .description("list people's passkeys, oldest first; also while no server runs");
  addDataFlags(passkeys)
    .option('--json', 'print JSON, one line each')
    .addHelpText('after', exampleText(['parley passkeys', 'parley passkeys --json | jq -r .name']))
    .action((flags: DataFlags) => report(async () => (await import('./passkeys.ts')).listPasskeys(flags)));
  addDataFlags(
    passkeys
      .command('revoke')
      .description(
        'remove a passkey, such as one on a lost device, without its signature, and end the log-ins of its person',
      ),
  )
    .argument('<id>', 'its id in the list')
    .option('--json', 'print nothing but errors')
    .addHelpText('after', exampleText(['parley passkeys revoke 0198d2c4-4a51-7c1e-9b1f-6c2f1f0f6a11']))
    .action((id: string, _: DataFlags, command: Command) => {
      const flags: DataFlags = command.optsWithGlobals(); // its parent takes flags that both have
      return report(async () => (await import('./passkeys.ts')).revokePasskey(id, flags));
    });
}
