import type { Command } from 'commander';
import { exampleText } from '../io/example-text.ts';
import type { Report } from '../io/report.ts';
import { addServerFlags } from '../settings/flags.ts';
import type { ChatFlags } from './chat.ts';
import type { TailFlags } from './tail.ts';

/** Adds the commands by which people talk to a session and follow it in a terminal (ASK8). */
export function addSessions(program: Command, report: Report): void {
  const chat = program
    .command('chat')
    .description('talk to a session: send messages, answer what it asks, stop it; in a pipe each line is a message')
    .argument('[sessionId]', "the session's id, as in the page's address, or how that begins (default: a new one)");
  addServerFlags(chat)
    .addHelpText('after', exampleText(chatExamples, chatCodes))
    .option('--agent <name>', "a new session's agent (default: the server's)")
    .option('--json', 'print the events as they are stored, one line of JSON each')
    .action((sessionId: string | undefined, flags: ChatFlags) =>
      report(async () => (await import('./chat.ts')).chat(sessionId, flags)),
    );
  const tail = program
    .command('tail')
    .description('follow a session: its last events, then each new one')
    .argument('<sessionId>', "the session's id, as in the page's address, or how that begins");
  addServerFlags(tail)
    .addHelpText('after', exampleText(tailExamples, tailCodes))
    .option('-n, --lines <number>', 'how many past events to print first, or "all"', '20')
    .option('--no-follow', 'exit after the past events')
    .option('--json', 'print the events as they are stored, one line of JSON each')
    .action((sessionId: string, flags: TailFlags) =>
      report(async () => (await import('./tail.ts')).tailSession(sessionId, flags)),
    );
}

const chatExamples = [
  'parley chat',
  'parley chat 0198d2c4',
  `echo "What changed?" | parley chat --json | jq -r 'select(.type == "assistant_done") | .payload.text'`,
];

const chatCodes = `0 the end; 1 the last turn of a pipe was stopped or failed; 2 wrong usage; 4 no server; 5 anything else;
130 left by Ctrl-C`;

const tailExamples = [
  'parley tail 0198d2c4',
  'parley tail 0198d2c4 --lines all --no-follow | less',
  `parley tail 0198d2c4 --json | jq -r 'select(.type == "tool_call") | .payload.toolName'`,
];

const tailCodes = '0 the end; 2 wrong usage; 4 no server; 5 anything else; 130 interrupted by Ctrl-C';
