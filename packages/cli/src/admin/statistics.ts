import {
  chooseColumns,
  describeCount,
  nameGroup,
  type Statistics,
  type StatisticsGrouping,
  showHidden,
  unreadWords,
} from '@parleyhq/core';
import { SettingsError } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import { addHint } from '../running-server/explain-error.ts';
import { findServer } from '../running-server/named-server.ts';
import { tokenHint } from '../running-server/running-server.ts';
import { ServerHttp } from '../running-server/server-http.ts';
import { readDuration } from '../settings/duration.ts';
import type { ServerFlags } from '../settings/flags.ts';

export interface StatisticsFlags extends ServerFlags {
  readonly by?: StatisticsGrouping;
  readonly session?: string;
  readonly tool?: string;
  readonly person?: string;
  readonly since?: string;
  readonly until?: string;
}

/** `parley stats`: a table; with `--json`, one line of JSON. @throws SettingsError, RefusalError */
export async function printStatistics({
  by,
  session,
  tool,
  person,
  since,
  until,
  ...flags
}: StatisticsFlags): Promise<void> {
  const query = { by, session, tool, person, from: readTime('--since', since), to: readTime('--until', until) };
  const server = await findServer(flags);
  const statistics = await new ServerHttp(server)
    .readStatistics(query)
    .catch((error: unknown) =>
      addHint(error, { unauthorised: tokenHint, not_found: 'The page shows the id of a session in its address.' }),
    );
  if (server.settings.json) process.stdout.write(toJsonLine(statistics));
  else for (const line of describe(statistics)) process.stdout.write(toLine(line));
}

/** Reads a date, or a duration before now. @throws SettingsError */
function readTime(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = readDuration(text);
  const time = ms === undefined ? Date.parse(text) : Date.now() - ms;
  if (Number.isNaN(time))
    throw new SettingsError(
      `${flag} ${text}: it should be a duration such as 7d or 12h, or a date such as 2027-01-31.`,
    );
  return new Date(time).toISOString();
}

const gap = '  ';

/** Words the statistics as a table, with the total in its last line if there are several groups. */
function describe({ by, total, groups, left }: Statistics & { readonly left: number }): readonly string[] {
  if (groups.length === 0) return ['Nothing was asked, and nothing passed without being asked.'];
  const columns = chooseColumns({ total });
  const rows = [
    [`By ${by}`, ...columns.map(({ name }) => name)],
    ...groups.map((group) => [showHidden(nameGroup(by, group)), ...columns.map((each) => describeCount(each, group))]),
    ...(groups.length > 1 ? [['All', ...columns.map((column) => describeCount(column, total))]] : []),
  ];
  const widths = ['', ...columns].map((_, n) => Math.max(...rows.map((row) => row[n]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(gap),
  );
  return [...lines, ...(left > 0 ? [`${left} more are left out.`] : []), ...(total.unread > 0 ? [unreadWords] : [])];
}
