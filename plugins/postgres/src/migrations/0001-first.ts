/**
 * The same data as in SQLite. Ids and times are compared by their bytes, as in the program. `folded` is a title in lower case,
 * converted by the program, because the database's conversion depends on its locale. `transaction` is the id of the transaction
 * that wrote a row, so that readers of changes miss none that was committed late, as they would with numbers from a sequence.
 */
export const first = `
create table sessions (
  key integer generated always as identity primary key,
  id text collate "C" not null unique,
  title text not null,
  folded text not null,
  agent text not null,
  permission_mode text not null,
  status text not null,
  open_count integer not null,
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  updated_minute text collate "C" not null,
  seq integer not null default 0,
  head text,
  maker text,
  channel_principal text,
  channel text,
  pinned boolean not null default false,
  archived boolean not null default false
) with (fillfactor = 70);
create index sessions_by_minute on sessions (updated_minute);
create index sessions_unfinished on sessions (status) where status <> 'idle' or open_count > 0;
create index sessions_by_maker on sessions (maker) where maker is not null;
create unique index sessions_by_channel on sessions (channel_principal, channel) where channel is not null;
create index sessions_pinned on sessions (updated_minute) where pinned;
create index sessions_archived on sessions (updated_minute) where archived;

create table events (
  session integer not null,
  seq integer not null,
  key text,
  text text not null,
  transaction xid8 not null default pg_current_xact_id(),
  primary key (session, seq)
);
create unique index events_by_key on events (session, key) where key is not null;
create index events_by_transaction on events (transaction);

create table session_news (
  n bigint generated always as identity,
  transaction xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  what text not null check (what in ('created', 'deleted')),
  session text not null
);
create index session_news_by_transaction on session_news (transaction);

create table nodes (
  id text primary key,
  until timestamptz not null,
  details text not null
);

create table records (
  position bigint generated always as identity,
  session integer not null,
  tool_call_id text not null,
  key text not null,
  value text not null,
  primary key (session, tool_call_id, key)
);

create table grants (
  position bigint generated always as identity,
  id text primary key,
  plugin text not null,
  key text not null,
  scope text not null check (scope in ('once', 'session', 'always')),
  session_id text,
  created_at text not null,
  uses integer not null,
  expires_at text collate "C",
  giver text,
  details text not null
);
create index grants_by_key on grants (plugin, key);
create index grants_by_session on grants (session_id);

create table plugin_state (
  session_id text not null,
  plugin text not null,
  key text not null,
  value text not null,
  primary key (session_id, plugin, key)
);

create table logins (
  hash text primary key,
  id text not null unique,
  created_at text collate "C",
  expires_at text collate "C" not null,
  token_id text,
  details text not null
);

create table tokens (
  position bigint generated always as identity,
  id text primary key,
  name text unique,
  hash text not null unique,
  role text not null check (role in ('viewer', 'responder', 'operator', 'asker')),
  created_at text not null,
  expires_at text collate "C",
  details text not null
);

create table audit (
  position bigint generated always as identity primary key,
  session_id text not null,
  n integer not null,
  text text not null,
  hash text not null,
  unique (session_id, n)
);

create table outside_calls (
  principal text not null,
  call_id text not null,
  session integer not null,
  tool_call_id text collate "C" not null unique,
  primary key (principal, call_id)
);
create index outside_calls_by_session on outside_calls (session);

create table devices (
  id text primary key,
  endpoint text not null unique,
  created_at text collate "C" not null,
  details text not null
);

create table deliveries (
  session integer not null,
  interaction_id text collate "C" not null,
  target text collate "C" not null,
  principal text not null,
  state text not null check (state in ('due', 'sent', 'failed', 'withdrawn')),
  at text collate "C" not null,
  details text not null,
  primary key (session, interaction_id, target)
);
create index deliveries_by_time on deliveries (at);
create index deliveries_unfinished on deliveries (at) where state in ('due', 'sent');
`;
