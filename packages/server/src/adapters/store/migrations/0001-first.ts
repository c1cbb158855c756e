/**
 * Designed so that appends to many sessions touch few pages. The log is a rowid table with an integer session key, without a
 * foreign key: only sessions that were found are written, and deleting one deletes all its rows. A session's `seq` is that of
 * its last event. Lists are indexed by the minute, so most appends leave the index alone.
 */
export const first = `
create table meta (
  name text primary key,
  value text not null
) strict, without rowid;

create table sessions (
  key integer primary key,
  id text not null unique,
  title text not null,
  agent text not null,
  permission_mode text not null,
  status text not null,
  open_count integer not null,
  created_at text not null,
  updated_at text not null,
  updated_minute text not null,
  seq integer not null,
  head text
) strict;
create index sessions_by_minute on sessions (updated_minute);
create index sessions_unfinished on sessions (status) where status <> 'idle' or open_count > 0;

create table events (
  session integer not null,
  seq integer not null,
  key text,
  text text not null,
  unique (session, seq)
) strict;
create unique index events_by_key on events (session, key) where key is not null;

create table records (
  session integer not null,
  tool_call_id text not null,
  key text not null,
  value text not null,
  unique (session, tool_call_id, key)
) strict;

create table grants (
  id text not null unique,
  plugin text not null,
  key text not null,
  scope text not null check (scope in ('once', 'session', 'always')),
  session_id text,
  created_at text not null,
  uses integer not null
) strict;
create index grants_by_key on grants (plugin, key);
create index grants_by_session on grants (session_id);

create table plugin_state (
  session_id text not null,
  plugin text not null,
  key text not null,
  value text not null,
  primary key (session_id, plugin, key)
) strict, without rowid;

create table logins (
  hash text primary key,
  expires_at text not null
) strict, without rowid;
`;
