import type { AuditEntry, AuditRow } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { chain, chainStart, type Settlements, verifyChain } from './audit-chain.ts';

const claim = (seq: number): AuditEntry => ({
  event: 'interaction_response',
  seq,
  at: '2026-03-01T12:00:00.000Z',
  interactionId: `c${seq}.1`,
  toolCallId: `c${seq}`,
  toolName: 'ask',
  digest: 'd',
  outcome: 'approve',
});
const deletion: AuditEntry = { event: 'session_deleted', at: '2026-03-01T12:00:00.000Z' };

function chainOf(entries: readonly AuditEntry[], sessionId = 's'): AuditRow[] {
  const rows: AuditRow[] = [];
  for (const entry of entries) rows.push(chain(sessionId, rows.at(-1) ?? chainStart, entry));
  return rows;
}

const seqs = [3, 5, 8, 9, 12];
const rows = chainOf(seqs.map(claim));
const [, , third, fourth, fifth] = rows as [AuditRow, AuditRow, AuditRow, AuditRow, AuditRow];
const log = new Map(seqs.map((seq) => [seq, `c${seq}.1`]));
const faults = (changed: readonly AuditRow[], settlements: Settlements) =>
  [...verifyChain(changed, settlements)].map(({ n }) => n);
const replace = (row: AuditRow) => rows.map((each) => (each.n === row.n ? row : each));

describe('[SEC7] the audit of a session', () => {
  test('an unaltered chain is valid, with and without its log', () => {
    expect(faults(rows, log)).toEqual([]);
    expect(faults(chainOf([...seqs.map(claim), deletion]), undefined)).toEqual([]);
    expect(faults([], new Map())).toEqual([]);
  });

  test.each([
    ['a row whose text was altered', replace({ ...third, text: third.text.replace('approve', 'deny') }), 3],
    ['a row whose hash was altered', replace({ ...third, hash: fourth.hash }), 3],
    ['a row that is not JSON any more', replace({ ...third, text: 'nonsense' }), 3],
    ['a row that was removed from the middle', rows.filter(({ n }) => n !== 3), 3],
    ['the first row removed', rows.slice(1), 1],
    ['the last row removed', rows.slice(0, -1), 5],
    ['all rows removed', [], 1],
    [
      'two rows exchanged',
      rows.map((row) => (row.n === 3 ? { ...fourth, n: 3 } : row.n === 4 ? { ...third, n: 4 } : row)),
      3,
    ],
    ['the rows behind a removed one renumbered', [...rows.slice(0, 2), { ...fourth, n: 3 }, { ...fifth, n: 4 }], 3],
    ['a row of another session', replace(chainOf(seqs.map(claim), 'other')[2] as AuditRow), 3],
    ['a row that was made up', chainOf([...seqs, 13].map(claim)), 6],
  ])('finds %s', (_, changed, n) => {
    expect(faults(changed, log)[0]).toBe(n);
  });

  test("detects that a deleted session's last row was removed", () => {
    expect(faults(rows, undefined)).toEqual([6]);
  });

  test('the log exposes a chain that was rewritten without a settlement', () => {
    expect(faults(chainOf([3, 5, 9, 12].map(claim)), log)).toEqual([5]);
  });
});
