/**
 * The audit of settlements. A session's rows are kept when it is deleted. Settlements from before this migration have no rows.
 */
export const audit = `
create table audit (
  session_id text not null,
  n integer not null,
  text text not null,
  hash text not null,
  unique (session_id, n)
) strict;
alter table sessions add column audited_from integer not null default 0;
update sessions set audited_from = seq;
`;
