/** What all stores share, for stores outside of this package: refusals, the audit chain and its rows. */
export * from './append.ts';
export { chain, chainStart, type Link } from './audit-chain.ts';
export * from './power-rows.ts';
export * from './rows.ts';
export type { StoredRow, StoredTable, TableSource } from './stored-tables.ts';
