/** Chat accounts that act for people, and the codes that link them (CHAT2). */
export const links = `
create table link_codes (
  hash text not null primary key,
  token_id text,
  login_hash text,
  expires_at text not null,
  details text not null
) strict, without rowid;

create table links (
  id text not null primary key,
  notifier text not null,
  account text not null,
  token_id text,
  login_hash text,
  created_at text not null,
  details text not null,
  unique (notifier, account)
) strict;
`;
