/** Passkeys of people, which sign their answers (SIGN2). */
export const passkeys = `
create table passkeys (
  id text not null primary key,
  person text not null,
  credential_id text not null unique,
  counter integer not null,
  created_at text not null,
  last_used_at text,
  details text not null
) strict;
create index passkeys_of_person on passkeys (person);
`;
