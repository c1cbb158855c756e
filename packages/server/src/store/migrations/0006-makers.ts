/** How many sessions a person made can be counted (SEC11). Nobody is known to have made those from before. */
export const makers = `
alter table sessions add column maker text;
create index sessions_by_maker on sessions (maker) where maker is not null;
`;
