import { statisticsGroupings, suggestName } from '@parleyhq/core';
import { SettingsError } from '@parleyhq/server';
import { Argument, Command, Option } from 'commander';
import type { AuditFlags } from './admin/audit.ts';
import type { ExportFlags } from './admin/export.ts';
import type { PairFlags } from './admin/pair.ts';
import { addPasskeys } from './admin/passkey-commands.ts';
import { addReceipts } from './admin/receipt-commands.ts';
import type { StatisticsFlags } from './admin/statistics.ts';
import type { NewTokenFlags } from './admin/token.ts';
import { addAsking } from './ask/ask-commands.ts';
import { addAuthoring } from './authoring/author-commands.ts';
import { addSessions } from './chat/session-commands.ts';
import { shells } from './completion/shells.ts';
import { addDoctor } from './doctor/doctor-command.ts';
import { addAnswering } from './inbox/answer-commands.ts';
import { exampleText } from './io/example-text.ts';
import { forTerminal } from './io/line.ts';
import { crash, watchOutput, wordsOf } from './io/output.ts';
import { lineOf, topicOf } from './io/topic.ts';
import { ownCommands } from './own-commands.ts';
import { readVersion } from './own-package.ts';
import { addGroups, addPluginCommands, groups } from './plugin-commands/add-commands.ts';
import { shippedCommands } from './plugin-commands/shipped-commands.ts';
import { takeWatchedMark } from './serve/watched-mark.ts';
import {
  addDataFlags,
  addServerFlags,
  addSettingFlags,
  type DataFlags,
  type Flags,
  type ServerFlags,
} from './settings/flags.ts';

/**
 * Runs the command that the process was started with. Plugins that the config file names are loaded only for a command that there
 * is not otherwise.
 */
export async function runProgram(): Promise<void> {
  const program = makeProgram();
  const words = process.argv.slice(2);
  if (lacksCommand(program, words)) {
    await reportStart(() => addConfigured(program, words));
    if (asksForHelp(words) && lacksCommand(program, words))
      await reportStart(async () => void findCommand(program, nameIn(words)));
  }
  await program.parseAsync();
}

function asksForHelp(words: readonly string[]): boolean {
  return words.includes('--help') || words.includes('-h');
}

/** The words of a command, without its flags. */
function nameIn([first, ...others]: readonly string[]): readonly string[] {
  const words = first === undefined || first === 'help' ? others : [first, ...others];
  const end = words.findIndex((word) => word.startsWith('-'));
  return end < 0 ? words : words.slice(0, end);
}

async function addConfigured(program: Command, words: readonly string[]): Promise<void> {
  const { loadConfiguredCommands } = await import('./plugin-commands/configured-commands.ts');
  const own = [...ownCommands, ...shippedCommands.map(({ name }) => name)];
  addPluginCommands(program, await loadConfiguredCommands(words, own), report);
}

/** Whether the words name a command that only a plugin could have. */
function lacksCommand(parent: Command, [word, ...others]: readonly string[]): boolean {
  if (word === 'help') return lacksCommand(parent, others);
  if (word === undefined || word.startsWith('-')) return false;
  const found = parent.commands.find((command) => command.name() === word);
  return !found || (word in groups && lacksCommand(found, others));
}

/** Makes the `parley` command line. The code of a command is loaded only when that command runs. */
export function makeProgram(): Command {
  const program = new Command('parley')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'parley: ')) })
    .description('The server where AI agents stop and ask people.')
    .version(readVersion())
    .hook('preAction', requireReadable);
  addSettingFlags(
    program.command('serve', { isDefault: true }).description('start the server (what parley does without a command)'),
  )
    .allowExcessArguments()
    .addHelpText('after', exampleText(serveExamples, '0 stopped; 2 invalid settings; 1 anything else'))
    .action((options: Flags, serving: Command) =>
      reportStart(async () => {
        refuseWords(program, serving);
        const { openTrust, readSettings } = await import('./settings/settings.ts');
        const trust = openTrust(process.env, options.trust === true);
        const isWatched = takeWatchedMark(process.env);
        const settings = await readSettings(options, process.env, process.cwd(), trust);
        if (settings.watch && !isWatched) await (await import('./serve/watch.ts')).watch(settings);
        else await (await import('./serve/serve.ts')).serve(settings, trust);
      }),
    );
  const exporting = program
    .command('export')
    .description('write the transcript of a session, whether the server is running or not')
    .argument('<sessionId>', "the session's id, as in the page's address")
    .option('--format <format>', 'jsonl, markdown or html', 'jsonl')
    .option('--out <file>', 'the file to write (default: stdout)');
  addDataFlags(exporting)
    .addHelpText(
      'after',
      exampleText(['parley export 0198d2c4-4a51-7c1e-9b1f-6c2f1f0f6a11 --format html --out talk.html']),
    )
    .action((sessionId: string, options: ExportFlags) =>
      report(async () => (await import('./admin/export.ts')).exportTranscript(sessionId, options)),
    );
  const audit = program
    .command('audit')
    .description(
      'print and verify who settled what, whether the server is running or not; parley receipt signs a copy of one answer',
    )
    .option('--session <id>', 'only this session, which may be deleted');
  addDataFlags(audit)
    .option('--json', 'print JSON, one line per row')
    .addHelpText(
      'after',
      exampleText(['parley audit', 'parley audit --json | jq -r \'select(.outcome == "approve")\'']),
    )
    .action((flags: AuditFlags) => report(async () => (await import('./admin/audit.ts')).printAudit(flags)));
  addReceipts(program, report);
  const backup = program
    .command('backup')
    .description('copy the database and check the copy, whether the server is running or not')
    .argument('<file>', 'the copy; replaces an existing file');
  addDataFlags(backup)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      exampleText(['parley backup /var/backups/parley.db', 'parley backup "parley-$(date +%F).db" --json']),
    )
    .action((file: string, flags: DataFlags) =>
      report(async () => (await import('./admin/backup.ts')).backUp(file, flags)),
    );
  program
    .command('migrate')
    .description('copy the sessions of a data directory into a PostgreSQL database, and check that they are the same')
    .argument('<folder>', 'the data directory, whose server must be stopped')
    .argument('<address>', 'a new database: postgres://user@host/name; PGPASSWORD may hold the password')
    .option('--json', 'print JSON')
    .addHelpText('after', exampleText(['parley migrate .parley postgres://parley@db.example.org/parley']))
    .action((folder: string, address: string, flags: Pick<Flags, 'json'>) =>
      report(async () => (await import('./admin/migrate.ts')).migrateStore(folder, address, flags)),
    );
  addAsking(program, reportAsking);
  addAnswering(program, report);
  addSessions(program, report);
  addGrants(program);
  addStatistics(program);
  addTokens(program);
  addPasskeys(program, report);
  addPair(program);
  addNotifiers(program);
  addDoctor(program, report);
  addAuthoring(program, report);
  const mcp = program
    .command('mcp')
    .description('speak MCP over stdin and stdout for a running server, for clients that cannot connect to it');
  addServerFlags(mcp, "an asker's token (or PARLEY_ASK_TOKEN, else PARLEY_TOKEN)")
    .addHelpText('after', exampleText(['PARLEY_ASK_TOKEN=parley_... parley mcp']))
    .action((flags: ServerFlags) => report(async () => (await import('./connect/mcp.ts')).relayMcp(flags)));
  addGroups(program);
  addPluginCommands(program, shippedCommands, report);
  program
    .command('completion')
    .description('print the script that makes a shell complete these commands and their flags')
    .addArgument(new Argument('<shell>', 'which one').choices(shells))
    .addHelpText('after', exampleText(completionExamples))
    .action((shell: (typeof shells)[number]) =>
      report(async () => (await import('./completion/completion.ts')).printCompletion(shell, program)),
    );
  program
    .helpCommand(false) // commander's own command looks up only the first word
    .command('help')
    .description('show the help of a command')
    .argument('[command...]', 'its words (default: lists the commands)')
    .addHelpText('after', exampleText(['parley help', 'parley help token create']))
    .action((words: readonly string[]) => report(async () => findCommand(program, words).outputHelp()));
  return program;
}

const serveExamples = [
  'parley serve --open',
  'parley serve --port 8080 --plugin ./release.mjs --watch',
  'parley serve --behind-proxy --host 0.0.0.0 --data-dir /var/lib/parley',
];

const completionExamples = [
  'eval "$(parley completion bash)"    # in ~/.bashrc',
  'eval "$(parley completion zsh)"     # in ~/.zshrc, after compinit',
  'parley completion fish | source     # in ~/.config/fish/config.fish',
];

function addGrants(program: Command): void {
  const grants = program
    .command('grants')
    .description('what people allowed for a session or for always: list grants, revoke them');
  const add = (command: string, description: string) =>
    addServerFlags(grants.command(command).description(description)).option('--json', 'print JSON, one line each');
  add('list', 'list the grants that are in force, oldest first')
    .addHelpText('after', exampleText(['parley grants list', 'parley grants list --json | jq -r .id']))
    .action((flags: ServerFlags) => report(async () => (await import('./admin/grants.ts')).listGrants(flags)));
  add('revoke', 'revoke a grant: from then on people are asked again')
    .argument('<id>', 'its id in the list')
    .addHelpText('after', exampleText(['parley grants revoke 3f9a1c20b7de']))
    .action((id: string, flags: ServerFlags) =>
      report(async () => (await import('./admin/grants.ts')).revokeGrant(id, flags)),
    );
}

const statisticsExamples = [
  'parley stats',
  'parley stats --by person --since 7d',
  'parley stats --tool run_command --by rule',
  "parley stats --by day --json | jq -r '.groups[] | [.key, .asked, .unread] | @tsv'",
];

function addStatistics(program: Command): void {
  const stats = program
    .command('stats')
    .description('how much was asked, how it was answered and how fast, and what passed without being asked');
  addServerFlags(stats)
    .addOption(new Option('--by <what>', 'what to group by (default: tool)').choices(statisticsGroupings))
    .option('--session <id>', 'only this session')
    .option('--tool <name>', 'only this tool')
    .option('--person <person>', 'only what this person answered: an id, or a name')
    .option('--since <when>', 'only from then on: a date such as 2027-01-31, or a duration such as 7d or 12h')
    .option('--until <when>', 'only before then')
    .option('--json', 'print JSON')
    .addHelpText('after', exampleText(statisticsExamples))
    .action((flags: StatisticsFlags) =>
      report(async () => (await import('./admin/statistics.ts')).printStatistics(flags)),
    );
}

function addNotifiers(program: Command): void {
  const notify = program.command('notify').description('the notifiers that notify people of what waits for them');
  addServerFlags(
    notify.command('test').description('send a test notification, and print the result for each recipient'),
  )
    .argument('<name>', 'what the notifier is called in the configuration')
    .option('--to <person>', 'only to this one: the id or name of a token, or owner (default: all its recipients)')
    .option('--json', 'print JSON, one line each')
    .addHelpText('after', exampleText(['parley notify test mail', 'parley notify test ntfy --to ann'], notifyExitCodes))
    .action((name: string, flags: ServerFlags & { to?: string }) =>
      report(async () => (await import('./admin/notify.ts')).testNotifier(name, flags)),
    );
}

const notifyExitCodes = '0 everybody was notified; 1 somebody was not, or any other error; 2 wrong usage';

const tokenExamples = [
  'parley token create --role responder --name Ann --expires 30d',
  'parley token create --role asker --name "Nightly build"',
  'parley token create --role viewer --sessions 0198d2c4-4a51-7c1e-9b1f-6c2f1f0f6a11',
];

function addTokens(program: Command): void {
  const tokens = program
    .command('token')
    .description('tokens for people and programs, and the browsers that are logged in; also while no server runs');
  const add = (command: string, description: string) =>
    addDataFlags(tokens.command(command).description(description)).option('--json', 'print JSON, one line each');
  add('create', 'create a token and print it; it is not shown again')
    .requiredOption(
      '--role <role>',
      'viewer may look, responder may also answer and send, operator may do everything; asker only asks',
    )
    .option('--name <name>', "its holder's name, as people see it")
    .option('--owner <person>', 'its person: the id or name of another token, or a name (default: a person of its own)')
    .option('--sessions <ids>', 'the sessions it is limited to, separated by commas (default: all)')
    .option('--expires <when>', 'a date such as 2027-01-31, or a duration such as 30d, 12h or 15m (default: never)')
    .addHelpText('after', exampleText(tokenExamples))
    .action((flags: NewTokenFlags) => report(async () => (await import('./admin/token.ts')).createToken(flags)));
  add('list', 'list the tokens and their linked chat accounts, oldest first')
    .addHelpText('after', exampleText(['parley token list']))
    .action((flags: DataFlags) => report(async () => (await import('./admin/token.ts')).listTokens(flags)));
  add('revoke', 'revoke a token: its holder is disconnected within a second')
    .argument('<id>', 'its id in the list')
    .option('--keep-grants', 'keep what its holder allowed for a session or for always')
    .addHelpText('after', exampleText(['parley token revoke 3f9a1c20b7de']))
    .action((id: string, flags: DataFlags & { keepGrants?: boolean }) =>
      report(async () => (await import('./admin/token.ts')).revokeToken(id, flags)),
    );
  add('link', 'print a code that links a chat account, such as one of Telegram; it works once, for ten minutes')
    .argument('<token>', 'the id or name of the token for whose holder the account may answer, or owner')
    .addHelpText('after', exampleText(['parley token link ann', 'parley token link ann --json | jq -r .code']))
    .action((token: string, flags: DataFlags) =>
      report(async () => (await import('./admin/link.ts')).makeLink(token, flags)),
    );
  add('unlink', 'end the link of a chat account')
    .argument('<id>', 'its id in the list of tokens')
    .addHelpText('after', exampleText(['parley token unlink 0198d2c4-4a51-7c1e-9b1f-6c2f1f0f6a11']))
    .action((id: string, flags: DataFlags) => report(async () => (await import('./admin/link.ts')).endLink(id, flags)));
  add('logins', 'list the browsers that are logged in')
    .addHelpText('after', exampleText(['parley token logins']))
    .action((flags: DataFlags) => report(async () => (await import('./admin/logins.ts')).listLogins(flags)));
  add('logout', 'log a browser out: it is disconnected within a second')
    .argument('<id>', 'its id in the list of log-ins')
    .addHelpText('after', exampleText(['parley token logout 3f9a1c20b7de']))
    .action((id: string, flags: DataFlags) =>
      report(async () => (await import('./admin/logins.ts')).endLogin(id, flags)),
    );
}

function addPair(program: Command): void {
  const command = program
    .command('pair')
    .description('print an address and its QR code that log in a phone or another browser, once, for ten minutes');
  addDataFlags(command)
    .argument('[token]', 'as whose holder: the id or name of a token', 'owner')
    .option('--url <address>', 'the address at which the other device reaches the server (default: found)')
    .option('--json', 'print JSON')
    .addHelpText('after', exampleText(['parley pair', 'parley pair ann --url https://parley.example.org']))
    .action((token: string, flags: PairFlags) =>
      report(async () => (await import('./admin/pair.ts')).pair(token, flags)),
    );
}

/** Finds a command by its words. @throws SettingsError if there is no such command */
function findCommand(program: Command, words: readonly string[]): Command {
  return words.reduce((at, word) => {
    const found = at.commands.find((command) => command.name() === word);
    if (found) return found;
    const names = at.commands.map((command) => command.name());
    throw new SettingsError(`There is no command "${words.join(' ')}".${suggestName(word, names)}`);
  }, program);
}

/** Rejects arguments of `serve`: as the default command, it receives unknown commands as arguments. @throws SettingsError */
function refuseWords(program: Command, serving: Command): void {
  const [word] = serving.args;
  if (word === undefined) return;
  if (word !== program.args[0])
    throw new SettingsError(`"${word}" is one argument too many: "serve" takes only flags.`);
  const names = program.commands.map((command) => command.name());
  throw new SettingsError(`There is no command "${word}".${suggestName(word, names)}`);
}

/**
 * Runs a command. A failure is one sentence on stderr and an exit code: 2 for invalid settings, the error's own if it has one, 5
 * for a bug in the command itself, 1 for anything else (OPS2).
 */
async function report(run: () => Promise<void>): Promise<void> {
  process.on('uncaughtException', crash);
  await reportFailure(run);
}

/** Like `report`, for commands where 1 means that a person said no: anything else is 5. */
async function reportAsking(run: () => Promise<void>): Promise<void> {
  process.on('uncaughtException', crash);
  await reportFailure(run, 5);
}

async function reportFailure(run: () => Promise<void>, otherwise = 1): Promise<void> {
  watchOutput();
  try {
    await run();
  } catch (error) {
    const words = `parley: ${wordsOf(error)}\n${lineOf(topicOf(error))}`;
    process.stderr.write(forTerminal(words, process.stderr.isTTY));
    process.exitCode = exitCodeOf(error) ?? otherwise;
  }
}

/** An error of a plugin is not always an instance of the class here: the plugin may have a core of its own. */
function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof SettingsError) return 2;
  const code = error instanceof Error && 'exitCode' in error ? Number(error.exitCode) : undefined;
  return code !== undefined && code >= 1 && code <= 255 && Number.isInteger(code) ? code : undefined;
}

/** Like `report`, for a server: if its start fails, the process exits even if something that plugins started keeps it alive. */
async function reportStart(run: () => Promise<void>): Promise<void> {
  await reportFailure(run);
  if (process.exitCode !== undefined) process.exit();
}

/** Rejects arguments that were not UTF-8: Node has replaced their invalid bytes with U+FFFD. */
function requireReadable(program: Command): void {
  if (process.argv.some((argument) => argument.includes('\ufffd')))
    program.error('parley: An argument is not UTF-8: convert it first, for instance with iconv.');
}
