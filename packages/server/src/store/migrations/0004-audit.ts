/** Who settled what; a session's rows outlive it. What was settled before there was an audit is in none. */
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
