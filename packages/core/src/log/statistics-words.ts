import type { CaseCounts, CaseGroup, Statistics } from './statistics.ts';
import type { StatisticsGrouping } from './statistics-grouping.ts';

/** A column of statistics, as people read them. */
export interface StatisticsColumn {
  readonly name: string;
  /** What it counts. */
  readonly words: string;
  of(counts: CaseCounts): number | undefined;
  /** Whether it is a time in ms. */
  readonly isTime?: true;
}

const columns: readonly StatisticsColumn[] = [
  { name: 'Asked', words: 'prompts that were put to people', of: ({ asked }) => asked },
  { name: 'Allowed', words: 'approved by a person', of: ({ approved }) => approved },
  { name: 'Unread', words: 'allowed sooner than the text can be read', of: ({ unread }) => unread },
  { name: 'Denied', words: 'denied by a person', of: ({ denied }) => denied },
  { name: 'Edited', words: 'allowed with other arguments', of: ({ edited }) => edited },
  { name: 'Median', words: 'half of the answers took at most this long', of: ({ medianMs }) => medianMs, isTime: true },
  { name: '95 %', words: 'most answers took at most this long', of: ({ p95Ms }) => p95Ms, isTime: true },
  { name: 'Filled in', words: 'forms that a person submitted', of: ({ submitted }) => submitted },
  { name: 'Cancelled', words: 'closed by a person without an answer', of: ({ cancelled }) => cancelled },
  { name: 'Timed out', words: 'answered by nobody in time', of: ({ timeout }) => timeout },
  { name: 'Withdrawn', words: 'ended because nothing needed the answer any more', of: ({ withdrawn }) => withdrawn },
  { name: 'Waiting', words: 'not answered yet', of: ({ open }) => open },
  { name: 'By permission', words: 'covered by an earlier approval', of: ({ byGrant }) => byGrant },
  { name: 'By policy', words: 'allowed by a policy', of: ({ byPolicy }) => byPolicy },
  { name: 'By mode', words: 'allowed by the permission mode', of: ({ byMode }) => byMode },
  { name: 'By reviewer', words: 'allowed by a reviewer', of: ({ byReviewer }) => byReviewer },
  { name: 'Refused', words: 'denied by a policy or the mode', of: ({ refused }) => refused },
  { name: 'Sampled', words: 'a reviewer would have allowed it, and a person was asked', of: ({ sampled }) => sampled },
  { name: 'Disputed', words: 'of these, what the person refused', of: ({ disputed }) => disputed },
];

const always = ['Asked', 'Allowed', 'Denied'];

/** Returns the columns that say something about these statistics. */
export function chooseColumns({ total }: Pick<Statistics, 'total'>): readonly StatisticsColumn[] {
  return columns.filter(({ name, of }) => always.includes(name) || of(total));
}

/** Returns what a column says of a group. */
export function describeCount({ of, isTime }: StatisticsColumn, counts: CaseCounts): string {
  const value = of(counts);
  if (value === undefined) return '–';
  return isTime ? describeTime(value) : String(value);
}

const units = [
  ['s', 1000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
] as const;

/** Words a time to answer: short ones with a decimal, because they say whether anybody has read. */
function describeTime(ms: number): string {
  const [unit, unitMs] = units.findLast(([, least]) => ms >= least) ?? units[0];
  const count = ms / unitMs;
  return `${count < 10 ? Math.round(count * 10) / 10 : Math.round(count)} ${unit}`;
}

const unnamed = {
  tool: 'No tool',
  rule: 'No rule',
  session: 'No session',
  person: 'Nobody',
  day: 'No day',
} as const satisfies Record<StatisticsGrouping, string>;

/** Returns the name of a group. What has no key is named by that. */
export function nameGroup(by: StatisticsGrouping, { key, name, toolName }: CaseGroup): string {
  if (key === undefined) return unnamed[by];
  return toolName === undefined ? (name ?? key) : `${toolName}: ${key}`;
}

/** What counts as unread, in words. */
export const unreadWords =
  'Unread: allowed in less than one second, plus one for each hundred characters of what was shown. Nobody reads faster, so at least these were not read.';
