import type { Command } from 'commander';
import { exampleText } from '../io/example-text.ts';
import { addDataFlags, collect, type DataFlags } from '../settings/flags.ts';
import type { ReceiptFlags, VerificationFlags } from './receipt.ts';

type Report = (run: () => Promise<void>) => Promise<void>;

const examples = ['parley receipt 5b1c0d.1 --out receipt.json', 'parley receipt verify receipt.json --key parley.pem'];

/** Adds `parley receipt` and its commands (SIGN3). */
export function addReceipts(program: Command, report: Report): void {
  const receipt = program
    .command('receipt')
    .description('write the signed receipt of an answer, which anybody can verify without the server')
    .argument('<interactionId>', 'the id of the prompt, as in parley audit')
    .option('--session <id>', 'its session, if several sessions have a prompt of this id')
    .option('--out <file>', 'the file to write (default: stdout)');
  addDataFlags(receipt)
    .addHelpText('after', exampleText(examples))
    .action((interactionId: string, flags: ReceiptFlags) =>
      report(async () => (await import('./receipt.ts')).writeReceipt(interactionId, flags)),
    );
  receipt
    .command('verify')
    .description('check a receipt and print what it states; needs neither a server nor its data')
    .argument('<file>', 'the receipt')
    .option(
      '--key <file>',
      "the server's public key, which must have signed it (default: any key, whose fingerprint is printed)",
    )
    .option(
      '--passkey <fingerprint>',
      'the passkey that must have signed what settled the prompt, and no other; repeatable if several people answered (default: any)',
      collect,
    )
    .option('--json', 'print JSON')
    .addHelpText('after', exampleText(['parley receipt verify receipt.json --key parley.pem'], verifyExitCodes))
    .action((file: string, flags: VerificationFlags) =>
      report(async () => (await import('./receipt.ts')).checkReceipt(file, flags)),
    );
  addDataFlags(receipt.command('key').description('print the public key that verifies the receipts of this server'))
    .addHelpText('after', exampleText(['parley receipt key > parley.pem']))
    .action((_: DataFlags, command: Command) => {
      const flags: DataFlags = command.optsWithGlobals(); // its parent takes flags that both have
      return report(async () => (await import('./receipt.ts')).printReceiptKey(flags));
    });
}

const verifyExitCodes = '0 valid; 1 altered, contradictory, or signed by another key or passkey; 2 wrong usage';
