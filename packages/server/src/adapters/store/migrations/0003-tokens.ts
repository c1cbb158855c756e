/** Tokens in addition to the server's own, by hash. A login names the token used for it. */
export const tokens = `
create table tokens (
  id text not null unique,
  hash text not null unique,
  role text not null check (role in ('viewer', 'responder', 'operator')),
  created_at text not null,
  expires_at text,
  details text not null
) strict;
alter table logins add column token_id text;
`;
