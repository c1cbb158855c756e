import type { Notification } from '@parleyhq/core';

const kinds: Readonly<Record<Notification['kind'], string>> = {
  approval: 'An approval waits for you',
  input: 'A question waits for you',
  url: 'A link waits for your consent',
};

/** Returns a one-line summary. It never contains the session's title, which anybody may have written. */
export function headlineOf({ type, kind, count, comment }: Notification): string {
  if (type === 'test') return 'A test of Parley';
  if (comment) return 'A comment on what waits for you';
  return count > 1 ? `${count} prompts wait for you` : kinds[kind];
}

/** Returns everything that the notification says, in a few lines (NTF1). */
export function describeNews(news: Notification): readonly string[] {
  if (news.type === 'test') return ['It arrived: you will be notified here when something waits for you.'];
  const { sessionTitle, title, risk, expiresAt, comment } = news;
  return [
    ...(title === undefined ? [] : [toLine(title)]),
    ...(comment?.by === undefined ? [] : [`Comment by: ${toLine(comment.by)}`]),
    `Session: ${toLine(sessionTitle)}`,
    ...(risk === undefined ? [] : [`Risk: ${risk}`]),
    ...(expiresAt === undefined ? [] : [`Until: ${expiresAt.slice(0, 16).replace('T', ' ')} UTC`]),
  ];
}

/** Puts a text on one line without control characters, so that it cannot imitate other lines, and shortens it. */
function toLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
