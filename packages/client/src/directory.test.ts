import type { Session } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { addOlderSessions, emptyDirectory, foldDirectory } from './directory.ts';

const session = (id: string): Session => ({
  id,
  title: id,
  agent: 'fake',
  permissionMode: 'default',
  status: 'idle',
  openCount: 0,
  seq: 1,
  createdAt: '2026-03-31T12:00:00.000Z',
  updatedAt: '2026-03-31T12:00:00.000Z',
});

test('[RPL4] a session that was deleted does not come back with a page that was requested before', () => {
  const listed = foldDirectory(emptyDirectory, { type: 'session_created', session: session('a') });
  const left = foldDirectory(listed, { type: 'session_deleted', session: session('b') });
  expect([...left.deleted]).toEqual(['b']);
  const { sessions } = addOlderSessions(left, [session('b'), session('c')]);
  expect(sessions.map(({ id }) => id)).toEqual(['c', 'a']);
});
