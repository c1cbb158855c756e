/**
 * What statistics count (LESS1). Derived from the events, and filled when statistics are read. `seq` says how far the log of a
 * session is counted: the numbers of transactions would not survive a restored dump.
 */
export const countedCases = `
create table counted_sessions (
  session integer primary key,
  seq integer not null
);

create table counted_cases (
  session integer not null,
  id text collate "C" not null,
  tool_call_id text not null,
  at text collate "C" not null,
  details text not null,
  primary key (session, id)
);

create table counted_hidden_calls (
  session integer not null,
  tool_call_id text not null,
  details text not null,
  primary key (session, tool_call_id)
);
`;
