/** The creator of each session, so that sessions can be counted by person (SEC11). Older sessions have none. */
export const makers = `
alter table sessions add column maker text;
create index sessions_by_maker on sessions (maker) where maker is not null;
`;
