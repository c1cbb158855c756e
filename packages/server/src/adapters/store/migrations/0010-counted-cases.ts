/** What statistics count (LESS1). Derived from the events, and filled when statistics are read. */
export const countedCases = `
create table counted_cases (
  session integer not null,
  id text not null,
  tool_call_id text not null,
  at text not null,
  details text not null,
  unique (session, id)
) strict;

create table counted_hidden_calls (
  session integer not null,
  tool_call_id text not null,
  details text not null,
  primary key (session, tool_call_id)
) strict, without rowid;
`;
