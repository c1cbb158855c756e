/** Chat accounts that act for people, and the codes that link them. */
export const links = `
create table link_codes (
  hash text primary key,
  token_id text,
  login_hash text,
  expires_at text not null,
  details text not null
);

create table links (
  id text primary key,
  notifier text not null,
  account text not null,
  token_id text,
  login_hash text,
  created_at text not null,
  details text not null,
  unique (notifier, account)
);
`;
