/** Sessions named by outside programs, the keys they gave their calls (ASK1), and tokens that may only ask (ASK2). */
export const outside = `
alter table sessions add column channel_principal text;
alter table sessions add column channel text;
create unique index sessions_by_channel on sessions (channel_principal, channel) where channel is not null;

create table tokens_with_askers (
  id text not null unique,
  hash text not null unique,
  role text not null check (role in ('viewer', 'responder', 'operator', 'asker')),
  created_at text not null,
  expires_at text,
  details text not null
) strict;
insert into tokens_with_askers (id, hash, role, created_at, expires_at, details)
  select id, hash, role, created_at, expires_at, details from tokens order by rowid;
drop table tokens;
alter table tokens_with_askers rename to tokens;

create table outside_calls (
  principal text not null,
  call_id text not null,
  session integer not null,
  tool_call_id text not null,
  primary key (principal, call_id)
) strict, without rowid;
create unique index outside_calls_by_id on outside_calls (tool_call_id);
create index outside_calls_by_session on outside_calls (session);
`;
