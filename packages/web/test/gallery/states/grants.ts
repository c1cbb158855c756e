import type { Grant } from '@parleyhq/core';
import type { Stage } from '../stage.ts';

/** A grant for the session and a lasting one, by two people. */
export const grants = ({ sessionId, grace }: Stage): readonly Grant[] => [
  {
    id: 'g1',
    plugin: 'shell',
    key: '["npm","test"]',
    scope: 'session',
    sessionId,
    createdAt: '2026-03-02T09:30:00.000Z',
    expiresAt: '2026-03-02T12:00:00.000Z',
    uses: 3,
    by: grace,
    toolName: 'run_command',
    title: 'Run the tests?',
    subject: { kind: 'command', text: 'npm test' },
  },
  {
    id: 'g2',
    plugin: 'release',
    key: '["deploy","staging"]',
    scope: 'always',
    sessionId: undefined,
    createdAt: '2026-02-20T15:00:00.000Z',
    uses: 0,
    toolName: 'deploy',
    title: 'Deploy to staging?',
    rule: { id: 'staging', label: 'deploys to staging', key: ['deploy', 'staging'] },
  },
];
