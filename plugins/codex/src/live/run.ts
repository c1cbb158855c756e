import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError, type SubcommandContext } from '@parleyhq/core';
import { Asker } from '@parleyhq/door-kit';
import { codex } from '../codex-config.ts';
import { readAddress } from './address.ts';
import { runConnection } from './app-server.ts';
import { findLack } from './codex-version.ts';
import { door } from './door-path.ts';
import { CodexObserver } from './observer.ts';

/** Pauses between attempts, in ms. They begin anew after a connection that has lasted longer than the longest. */
const pauses = [100, 250, 500, 1000, 2000];
const longestPauseMs = Math.max(...pauses);

/**
 * `parley connect codex --live`: asks people what Codex's app server asks its clients, until it is stopped (ACP5).
 * @throws ExitError 2 for wrong usage, 1 if the installed Codex has no app server
 */
export async function attach(context: SubcommandContext): Promise<void> {
  const { options, version, report, findServer } = context;
  for (const [name, flag] of [
    ['print', '--print'],
    ['trust', '--trust'],
  ] as const)
    if (options[name]) throw new ExitError(2, `${flag}: does not go with --live, which changes no settings.`);
  const settings = textOf(options.settings) ?? codex.findSettings(process.env);
  const address = readAddress(textOf(options.socket), settings);
  const stop = untilStopped(context);
  const find = async () => {
    const { url, askToken } = await findServer();
    return { url, token: askToken };
  };
  const asker = new Asker({ door, otherwise: 'Questions are asked in Codex’s terminal alone', find, report });
  const observer = new CodexObserver({
    ask: ({ thread, cwd, question }) => asker.ask({ ...question.asking, thread, cwd }),
    report,
    later: (attempt, act) => void setTimeout(act, pauseOf(attempt)).unref(),
  });
  await find().catch(requireUsage);
  if (await asker.isThere()) report(`People are asked at ${(await find()).url}.\n`);
  await noteHook(settings, report);
  let isLost = false;
  for (let attempt = 0; !stop.aborted; attempt += 1) {
    let isAttached = false;
    const begun = performance.now();
    const { wasOpen, fault } = await runConnection(address, stop, {
      onOpen: (send) =>
        observer.opened(send, version, () => {
          isAttached = true;
          isLost = false;
          report(`Attached to Codex at ${address.name}.\n`);
        }),
      onMessage: (message) => observer.take(message),
    });
    observer.closed();
    if (stop.aborted) break;
    if (isAttached && performance.now() - begun > longestPauseMs) attempt = 0;
    if (!wasOpen) observer.end('Codex’s app server has ended.'); // nothing listens, so nothing waits
    if (!isLost && !isAttached) {
      isLost = true;
      const lack = await findLack();
      if (lack !== undefined) throw new ExitError(1, lack);
      report(
        `No app server of Codex listens at ${address.name}${describe(fault)}: waiting for it. Start it with: ${address.command}\n`,
      );
    }
    await sleep(pauseOf(attempt), undefined, { signal: stop }).catch(() => undefined); // stopped
  }
  observer.end('Parley no longer follows Codex.');
}

/** @throws Error for wrong usage; without a server, questions wait for it */
function requireUsage(error: unknown): void {
  if (error instanceof Error && error.name === 'SettingsError') throw error;
}

/** Names what is wrong, unless it is only that nothing listens. */
function describe(fault: NodeJS.ErrnoException | undefined): string {
  const isPlain = fault === undefined || fault.code === 'ENOENT' || fault.code === 'ECONNREFUSED';
  return isPlain ? '' : ` (${fault.message})`;
}

/** With the hook, a request reaches the app server's clients only once nobody has decided it there. */
async function noteHook(settings: string, report: SubcommandContext['report']): Promise<void> {
  const text = await readFile(settings, 'utf8').catch(() => undefined);
  if (text === undefined || codex.read({ path: settings, text }).tokens.length === 0) return;
  report(
    'Codex’s hook is connected as well: it asks first, and the terminal waits for it. parley disconnect codex leaves everything to --live.\n',
  );
}

/** Aborts at Ctrl-C, and when the process should end. */
function untilStopped({ signal }: SubcommandContext): AbortSignal {
  const ended = new AbortController();
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.once(name, () => ended.abort());
  return AbortSignal.any([signal, ended.signal]);
}

function pauseOf(attempt: number): number {
  return pauses[Math.min(attempt, pauses.length - 1)] ?? 0;
}

function textOf(option: string | true | undefined): string | undefined {
  return typeof option === 'string' ? option : undefined;
}
