import { type Command, Option } from 'commander';
import { exampleText } from '../io/example-text.ts';
import type { Report } from '../io/report.ts';
import { addServerFlags, collect } from '../settings/flags.ts';
import type { AnswerFlags } from './answer.ts';
import type { CommentFlags } from './comment.ts';
import type { InboxFlags } from './inbox.ts';

/** Adds the commands by which people answer in a terminal (ASK8). */
export function addAnswering(program: Command, report: Report): void {
  const inbox = program
    .command('inbox')
    .description('answer what waits for you, oldest first; without a terminal, list it');
  addServerFlags(inbox)
    .addHelpText('after', exampleText(inboxExamples, exitCodes))
    .option('--list', 'list it at a terminal, too')
    .option('--wait', 'when nothing waits, stay until something does')
    .option('--json', 'print JSON, one line each')
    .action((flags: InboxFlags) => report(async () => (await import('./inbox.ts')).openInbox(flags)));
  const answer = program
    .command('answer')
    .description('show what is asked, or answer it')
    .argument('<id>', 'its id in the inbox, or how that begins')
    .argument('[action]', 'approve, deny, submit or cancel (default: show the whole prompt)');
  addServerFlags(answer)
    .addHelpText('after', exampleText(answerExamples, exitCodes))
    .addOption(
      new Option('--scope <scope>', 'how long a yes counts (default: once)').choices(['once', 'session', 'always']),
    )
    .option('--rule <id>', 'a rule that is offered, to allow with approve; without an action they are listed')
    .option('--reason <text>', 'why, for the agent to read; some answers need it')
    .option(
      '--comment <line:text>',
      'a comment on a line of what is shown, or on lines as 3-5; several times for several',
      collect,
    )
    .option('--input <json>', 'the values of a form; - reads them from stdin, so that no other user sees them')
    .option('--file <field=path>', 'a file of this machine for a field; several times for several', collect)
    .option('--attach <path>', 'a file of this machine to send with the answer; several times for several', collect)
    .option('--button <id>', 'the button of the form to press instead of submit')
    .option('--json', 'print JSON')
    .action((id: string, action: string | undefined, flags: AnswerFlags) =>
      report(async () => (await import('./answer.ts')).answerPrompt(id, action, flags)),
    );
  const comment = program
    .command('comment')
    .description('say something under a prompt without deciding it, for instance to ask back')
    .argument('<id>', 'its id in the inbox, or how that begins')
    .argument('<text>', 'what to say');
  addServerFlags(comment)
    .addHelpText('after', exampleText(commentExamples, commentCodes))
    .option('--reply-to <number>', 'the comment that this answers, by its number in "parley answer <id>"')
    .option('--json', 'print JSON')
    .action((id: string, text: string, flags: CommentFlags) =>
      report(async () => (await import('./comment.ts')).commentPrompt(id, text, flags)),
    );
}

const exitCodes = '0 done; 2 wrong usage; 1 anything else, for instance because somebody else was first';

const inboxExamples = ['parley inbox', 'parley inbox --list', "parley inbox --json | jq -r '.interaction.title'"];

const answerExamples = [
  'parley answer 0198d2c4',
  'parley answer 0198d2c4 approve',
  'parley answer 0198d2c4 approve --rule folder --scope session',
  'parley answer 0198d2c4 deny --reason "Not on a Friday."',
  'parley answer 0198d2c4 deny --comment 12:"On staging first."',
  `parley answer 0198d2c4 submit --input '{"answer":"eu"}'`,
  'parley answer 0198d2c4 deny --reason "It looks like this." --attach ./screen.png',
  'parley answer 0198d2c4 --file cv=./ada.pdf',
  'parley answer 0198d2c4 --button back',
];

const commentCodes = '0 done; 2 wrong usage; 1 anything else, for instance because it is settled';

const commentExamples = [
  'parley comment 0198d2c4 "Which branch is this?"',
  'parley comment 0198d2c4 "It is the release." --reply-to 1',
];
