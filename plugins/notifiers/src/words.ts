import type { News } from '@parleyhq/core';

const kinds: Readonly<Record<News['kind'], string>> = {
  approval: 'An approval waits for you',
  input: 'A question waits for you',
  url: 'A link waits for your consent',
};

/** In a line, what it is about: a session's title is somebody's text, and stays on its line. */
export function headlineOf({ type, kind, count }: News): string {
  if (type === 'test') return 'A test of Parley';
  return count > 1 ? `${count} prompts wait for you` : kinds[kind];
}

/** In a few lines, all that the news says (NTF1). */
export function describeNews(news: News): readonly string[] {
  if (news.type === 'test') return ['It arrived: you will be told here what waits for you.'];
  const { sessionTitle, title, risk, expiresAt } = news;
  return [
    ...(title === undefined ? [] : [toLine(title)]),
    `Session: ${toLine(sessionTitle)}`,
    ...(risk === undefined ? [] : [`Risk: ${risk}`]),
    ...(expiresAt === undefined ? [] : [`Until: ${expiresAt.slice(0, 16).replace('T', ' ')} UTC`]),
  ];
}

/** Control characters and line breaks could pass for words of ours, and long texts for all there is. */
function toLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
