import { ExitError, type FoundServer, type Subcommand, type SubcommandContext } from '@parleyhq/core';
import type { Command } from 'commander';
import { connectProgram, disconnectProgram } from '../connect/connect.ts';
import { askAtTerminal } from '../io/ask-person.ts';
import { forTerminal } from '../io/line.ts';
import { readVersion } from '../own-package.ts';
import { findServer } from '../running-server/named-server.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { findAskToken } from '../settings/settings.ts';

/** Runs a plugin's command as it was parsed. @throws ExitError 130 if it failed after Ctrl-C; otherwise what it throws (PLG15) */
export async function runSubcommand(subcommand: Subcommand, command: Command): Promise<void> {
  const interrupt = new Interrupt();
  try {
    await subcommand.run(makeContext(subcommand, command, interrupt));
  } catch (cause) {
    throw interrupt.isOver ? new ExitError(130, 'Interrupted.', { cause }) : cause;
  }
}

function makeContext(
  { arguments: described = [] }: Subcommand,
  command: Command,
  interrupt: Interrupt,
): SubcommandContext {
  const options = command.opts();
  const single = described.filter(({ rest }) => !rest);
  const given = single.map(({ name }, index) => [name, command.args[index]] as const);
  return {
    rest: single.length < described.length ? command.args.slice(single.length) : [],
    args: Object.fromEntries(given.filter((each): each is readonly [string, string] => each[1] !== undefined)),
    options,
    version: readVersion(),
    get signal() {
      return interrupt.signal;
    },
    print: (text) => void process.stdout.write(forTerminal(text)),
    report: (text) => void process.stderr.write(forTerminal(text, process.stderr.isTTY)),
    confirm: async (text, question) => askAtTerminal(question)?.(text),
    findServer: () => describeServer(options),
    openSocket: async (path) => {
      const { openSocket } = await import('../running-server/open-socket.ts'); // the library for sockets is loaded only if needed
      return openSocket(await describeServer(options), path);
    },
    connect: (program) => connectProgram(program, options),
    disconnect: (program) => disconnectProgram(program, options),
  };
}

/** Ctrl-C: it ends the process, as usual, unless the run has taken the signal. */
class Interrupt {
  #controller: AbortController | undefined;

  get isOver(): boolean {
    return this.#controller?.signal.aborted ?? false;
  }

  get signal(): AbortSignal {
    const controller = this.#controller ?? new AbortController();
    if (!this.#controller) process.once('SIGINT', () => controller.abort()); // a second one ends the process
    this.#controller = controller;
    return controller.signal;
  }
}

/** @throws Error if another program listens there, or a token is set and nothing listens; SettingsError */
async function describeServer(flags: ServerFlags): Promise<FoundServer> {
  const { url, token, settings, check } = await findServer(flags);
  await check();
  return { url, token, askToken: findAskToken(flags, process.env, settings), dataDir: settings.dataDir };
}
