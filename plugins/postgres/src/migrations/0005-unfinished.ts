/**
 * A session's row changes with each event, and the database writes it to all its indexes anew where a column changed that any
 * of them looks at. So they look at what is unfinished, which seldom changes, and not at what says so.
 */
export const unfinished = `
alter table sessions add column unfinished boolean not null generated always as (status <> 'idle' or open_count > 0) stored;
drop index sessions_unfinished;
create index sessions_unfinished on sessions (updated_minute) where unfinished;
`;
