/**
 * A session's row changes with each event, and the database updates all its indexes if any indexed column changed. So the index
 * uses the generated column `unfinished`, which seldom changes, and not the columns from which it is computed.
 */
export const unfinished = `
alter table sessions add column unfinished boolean not null generated always as (status <> 'idle' or open_count > 0) stored;
drop index sessions_unfinished;
create index sessions_unfinished on sessions (updated_minute) where unfinished;
`;
