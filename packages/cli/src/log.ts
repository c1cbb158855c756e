import { type Logger, pino } from 'pino';
import { forTerminal } from './line.ts';
import type { Settings } from './settings.ts';

/** The server's log, on stderr: for people where that is a terminal, else as JSON lines (OPS2). */
export async function openLog({ json, logLevel }: Pick<Settings, 'json' | 'logLevel'>): Promise<Logger> {
  const level = logLevel ?? (json ? 'info' : 'warn');
  const isForPeople = process.stderr.isTTY && !json;
  return pino({ level }, isForPeople ? await writeForPeople() : pino.destination(2));
}

/** What others wrote gives the terminal no orders (SEC5), so there are no colours either. */
async function writeForPeople() {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ colorize: false, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' });
  return { write: (line: string) => process.stderr.write(forTerminal(format(line), true)) };
}
