import type { Command } from 'commander';
import type { ChatFlags } from './chat.ts';
import { addServerFlags } from './server-flags.ts';
import type { TailFlags } from './tail.ts';

type Report = (run: () => Promise<void>) => Promise<void>;

/** The commands by which people follow a session in a terminal, and talk to it (ASK8). */
export function addSessions(program: Command, report: Report): void {
  addServerFlags(
    program
      .command('chat')
      .description('talk to a session: send messages, answer what it asks, stop it')
      .argument('[sessionId]', "the session's id, as in the page's address, or how that begins (default: a new one)"),
  )
    .option('--agent <name>', "a new session's agent (default: the server's)")
    .option('--json', 'print the events as they are stored, one line of JSON each')
    .addHelpText('after', chatExamples)
    .action((sessionId: string | undefined, flags: ChatFlags) =>
      report(async () => (await import('./chat.ts')).chat(sessionId, flags)),
    );
  addServerFlags(
    program
      .command('tail')
      .description('follow a session: its last events, then each new one')
      .argument('<sessionId>', "the session's id, as in the page's address, or how that begins"),
  )
    .option('-n, --lines <number>', 'how many events of the past come first, or "all"', '20')
    .option('--no-follow', 'end after those')
    .option('--json', 'print the events as they are stored, one line of JSON each')
    .addHelpText('after', tailExamples)
    .action((sessionId: string, flags: TailFlags) =>
      report(async () => (await import('./tail.ts')).tailSession(sessionId, flags)),
    );
}

const exitCodes = `
Exit codes: 0 the end; 2 wrong usage; 4 no server; 5 anything else; 130 interrupted by Ctrl-C.
`;

const chatExamples = `
At a terminal /help says what there is. Elsewhere each line of stdin is a message, which is sent when the last turn is over.

Examples:
  parley chat
  parley chat 0198d2c4
  echo "What changed today?" | parley chat --json | jq -r 'select(.type == "assistant_done") | .payload.text'

Exit codes: 0 the end; 1 the last turn of a pipe was stopped or failed; 2 wrong usage; 4 no server; 5 anything else; 130 left by Ctrl-C.
`;

const tailExamples = `
Examples:
  parley tail 0198d2c4
  parley tail 0198d2c4 --lines all --no-follow | less
  parley tail 0198d2c4 --json | jq -r 'select(.type == "tool_call") | .payload.toolName'
${exitCodes}`;
