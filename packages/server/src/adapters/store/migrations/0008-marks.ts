/** Sessions can be pinned and archived. Older ones are neither. */
export const marks = `
alter table sessions add column pinned integer not null default 0;
alter table sessions add column archived integer not null default 0;
create index sessions_pinned on sessions (updated_minute) where pinned = 1;
create index sessions_archived on sessions (updated_minute) where archived = 1;
`;
