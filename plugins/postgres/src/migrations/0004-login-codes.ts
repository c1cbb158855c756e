/** A code expires with its node: with the node's lease, or at the latest when the node's row is deleted. */
export const loginCodes = `
create table login_codes (
  hash text primary key,
  node text not null references nodes (id) on delete cascade
);
create index login_codes_by_node on login_codes (node);
`;
