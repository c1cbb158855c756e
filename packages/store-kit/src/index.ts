export * from './append.ts';
export {
  type AuditProblem,
  chain,
  chainStart,
  type Link,
  type Settlements,
  verifyChain,
  verifyLinks,
} from './audit-chain.ts';
export { CaseChanges, type CountedSession } from './case-changes.ts';
export { CommitQueue, type Transact } from './commit-queue.ts';
export * from './fingerprint.ts';
export * from './passkeys.ts';
export * from './power-rows.ts';
export * from './rows.ts';
export type { StoredRow, StoredTable, TableSource } from './stored-tables.ts';
