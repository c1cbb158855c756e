CREATE TABLE meta (
  name text primary key,
  value text not null
) strict, without rowid;

CREATE TABLE sessions (
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
, audited_from integer not null default 0, maker text, channel_principal text, channel text, pinned integer not null default 0, archived integer not null default 0) strict;

CREATE INDEX sessions_by_minute on sessions (updated_minute);

CREATE INDEX sessions_unfinished on sessions (status) where status <> 'idle' or open_count > 0;

CREATE TABLE events (
  session integer not null,
  seq integer not null,
  key text,
  text text not null,
  unique (session, seq)
) strict;

CREATE UNIQUE INDEX events_by_key on events (session, key) where key is not null;

CREATE TABLE records (
  session integer not null,
  tool_call_id text not null,
  key text not null,
  value text not null,
  unique (session, tool_call_id, key)
) strict;

CREATE TABLE grants (
  id text not null unique,
  plugin text not null,
  key text not null,
  scope text not null check (scope in ('once', 'session', 'always')),
  session_id text,
  created_at text not null,
  uses integer not null
, expires_at text, details text not null default '{}') strict;

CREATE INDEX grants_by_key on grants (plugin, key);

CREATE INDEX grants_by_session on grants (session_id);

CREATE TABLE plugin_state (
  session_id text not null,
  plugin text not null,
  key text not null,
  value text not null,
  primary key (session_id, plugin, key)
) strict, without rowid;

CREATE TABLE logins (
  hash text primary key,
  expires_at text not null
, token_id text, id text, created_at text, details text not null default '{}') strict, without rowid;

CREATE TABLE audit (
  session_id text not null,
  n integer not null,
  text text not null,
  hash text not null,
  unique (session_id, n)
) strict;

CREATE UNIQUE INDEX logins_by_id on logins (id);

CREATE INDEX sessions_by_maker on sessions (maker) where maker is not null;

CREATE UNIQUE INDEX sessions_by_channel on sessions (channel_principal, channel) where channel is not null;

CREATE TABLE "tokens" (
  id text not null unique,
  hash text not null unique,
  role text not null check (role in ('viewer', 'responder', 'operator', 'asker')),
  created_at text not null,
  expires_at text,
  details text not null
) strict;

CREATE TABLE outside_calls (
  principal text not null,
  call_id text not null,
  session integer not null,
  tool_call_id text not null,
  primary key (principal, call_id)
) strict, without rowid;

CREATE UNIQUE INDEX outside_calls_by_id on outside_calls (tool_call_id);

CREATE INDEX outside_calls_by_session on outside_calls (session);

CREATE INDEX sessions_pinned on sessions (updated_minute) where pinned = 1;

CREATE INDEX sessions_archived on sessions (updated_minute) where archived = 1;

CREATE TABLE devices (
  id text not null primary key,
  endpoint text not null unique,
  details text not null
) strict;

CREATE TABLE deliveries (
  session integer not null,
  interaction_id text not null,
  target text not null,
  principal text not null,
  state text not null check (state in ('due', 'sent', 'failed', 'withdrawn')),
  at text not null,
  details text not null,
  primary key (session, interaction_id, target)
) strict, without rowid;

CREATE INDEX deliveries_by_time on deliveries (at);

CREATE INDEX deliveries_unfinished on deliveries (at) where state in ('due', 'sent');

CREATE TABLE counted_cases (
  session integer not null,
  id text not null,
  tool_call_id text not null,
  at text not null,
  details text not null,
  unique (session, id)
) strict;

CREATE TABLE counted_hidden_calls (
  session integer not null,
  tool_call_id text not null,
  details text not null,
  primary key (session, tool_call_id)
) strict, without rowid;

CREATE TABLE link_codes (
  hash text not null primary key,
  token_id text,
  login_hash text,
  expires_at text not null,
  details text not null
) strict, without rowid;

CREATE TABLE links (
  id text not null primary key,
  notifier text not null,
  account text not null,
  token_id text,
  login_hash text,
  created_at text not null,
  details text not null,
  unique (notifier, account)
) strict;

CREATE TABLE passkeys (
  id text not null primary key,
  person text not null,
  credential_id text not null unique,
  counter integer not null,
  created_at text not null,
  last_used_at text,
  details text not null
) strict;

CREATE INDEX passkeys_of_person on passkeys (person);

CREATE TABLE counted_days (
  session integer not null,
  day text not null,
  kind text not null,
  count integer not null,
  times text not null,
  newest text not null,
  unique (session, day, kind)
) strict;
