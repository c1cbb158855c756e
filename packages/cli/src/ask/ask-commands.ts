import { type Command, Option } from 'commander';
import { exampleText } from '../io/example-text.ts';
import type { Report } from '../io/report.ts';
import { addServerFlags, collect } from '../settings/flags.ts';
import type { ApproveFlags, AskFlags, AskingFlags } from './ask.ts';

/** Adds the commands by which scripts ask people and call tools (ASK8). */
export function addAsking(program: Command, report: Report): void {
  const ask = program
    .command('ask')
    .description('ask a person, wait for the answer and print it')
    .argument('<question>', 'the question')
    .option('--option <label>', 'an option to choose from; repeatable (default: a text answer)', collect)
    .option('--multiple', 'several options may be chosen')
    .option('--other', 'a text may be written instead of choosing an option')
    .option('--schema <file>', 'ask for several values: a flat JSON schema; - reads stdin')
    .option('--form <file>', 'ask for several values: a form of Parley; - reads stdin')
    .option('--title <text>', 'a title above the question');
  addCommon(ask)
    .addHelpText('after', exampleText(askExamples, exitCodes))
    .action((question: string, flags: AskFlags) =>
      report(async () => (await import('./ask.ts')).askHuman(question, flags)),
    );
  const approve = program
    .command('approve')
    .description('ask a person to approve something, and wait for the yes or no')
    .argument('<title>', 'the question')
    .option('--subject <text>', 'exactly what should be approved')
    .option('--subject-file <file>', 'the same from a file; - reads stdin')
    .addOption(
      new Option('--kind <kind>', 'how the subject is shown (default: text)').choices([
        'text',
        'command',
        'json',
        'diff',
        'markdown',
      ]),
    )
    .option('--thread <name>', 'what the subject is a version of: people see what changed since one was denied')
    .option('--prompt <text>', 'why, or what follows from it')
    .option('--approvals <n>', 'how many people must approve; one no is enough against it (default: 1)')
    .option('--why-for <answer>', 'an answer that must say why: approve, deny or cancel; repeatable', collect)
    .option('--for-session', 'a yes may also count for the same request again, for a day')
    .option('--for-always', 'an operator\u2019s yes may also count until it is revoked');
  addCommon(approve)
    .addHelpText('after', exampleText(approveExamples, exitCodes))
    .action((title: string, flags: ApproveFlags) =>
      report(async () => (await import('./ask.ts')).requestApproval(title, flags)),
    );
  const call = program
    .command('call')
    .description('call a tool, wait for its result and print it; for operators')
    .argument('<tool>', 'its name')
    .argument('<json>', 'its arguments; - reads stdin');
  addCalling(call)
    .addHelpText('after', exampleText(callExamples, exitCodes))
    .action((toolName: string, json: string, flags: AskingFlags) =>
      report(async () => (await import('./ask.ts')).callTool(toolName, json, flags)),
    );
}

/** Adds the flags shared by `ask` and `approve`. */
function addCommon(command: Command): Command {
  command
    .addOption(new Option('--risk <risk>', 'shown with the question').choices(['low', 'medium', 'high']))
    .option(
      '--to <name>',
      'who may answer: the name or id of a token; repeatable (default: everybody who answers)',
      collect,
    )
    .option('--timeout <duration>', 'how long to wait, such as 90s, 15m or 12h (default: for ever)');
  return addCalling(command);
}

/** Adds the flags shared by all commands that call a tool. */
function addCalling(command: Command): Command {
  command
    .option('--key <key>', 'names the question: the same key waits for it again, and gets the same answer')
    .option('--channel <name>', 'the session that the question goes to (default: shell)')
    .option('--from <name>', 'who asks, as people see it')
    .option('--save-to <folder>', 'save files that come with the answer there, and print their paths, a line each');
  return addServerFlags(command, 'a token (or PARLEY_ASK_TOKEN, else PARLEY_TOKEN)').option(
    '--json',
    'print all of the result as one line of JSON',
  );
}

const exitCodes = `0 yes, or answered; 1 no: denied or cancelled; 2 wrong usage; 3 nobody answered in time; 4 no server;
5 anything else; 130 interrupted: Ctrl-C takes the question back`;

const askExamples = [
  'parley ask "What shall the release be called?"',
  'parley ask "Which region?" --option eu --option us --timeout 1h',
  'parley ask "Restore which backups?" --option monday --option tuesday --multiple --json | jq -r ".answer[]"',
];

const approveExamples = [
  'git diff main | parley approve "Merge this?" --subject-file - --kind diff && git merge main',
  'parley approve "Drop the table?" --subject "DROP TABLE orders" --kind command --risk high --key drop-orders',
];

const callExamples = [`parley call run_command '{"command":"npm test"}' --channel builds`];
