import type { Command } from 'commander';
import { exampleText } from '../io/example-text.ts';
import type { Report } from '../io/report.ts';
import { addOwnServerFlags } from '../settings/flags.ts';
import type { DoctorFlags } from './doctor.ts';

const examples = [
  'parley doctor',
  'parley doctor --url https://parley.example.org',
  'parley doctor 0198d2c4-4a51-7c1e-9b1f-6c2f1f0f6a11    # why does nobody see this?',
];

/** Adds `parley doctor`, which works whether the server is running or not. */
export function addDoctor(program: Command, report: Report): void {
  const command = program
    .command('doctor')
    .description('examine everything between a question and a person, and say what is wrong and what to do')
    .argument('[id]', 'the id or address of a session, call or prompt: why does nobody see it?');
  addOwnServerFlags(command)
    .option('--url <address>', 'examine a server elsewhere at this address, and whether the programs here may ask it')
    .option('--send', 'send everybody a test notification')
    .option('--json', 'print JSON, one line each')
    .addHelpText(
      'after',
      exampleText(examples, '0 nothing is wrong; 1 something is; 2 wrong usage; 5 nobody could read the output'),
    )
    .action((id: string | undefined, flags: DoctorFlags) =>
      report(async () => (await import('./doctor.ts')).doctor(id, flags)),
    );
}
