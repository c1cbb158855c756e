/**
 * `beats` counts the renewals of a node's lease, by which the node detects that the database was set back. `joined` is when the
 * node began to renew without a pause; nodes are listed in that order. Renewals run one after the other, so that all nodes agree
 * on the order, and in one statement, so that a node that stops midway blocks nobody. A node whose row has fewer beats than
 * `known` does not renew.
 */
export const history = `
alter table nodes
  add column beats bigint not null default 0,
  add column joined timestamptz not null default now();

create function renew_node(node text, lease interval, says text, beat bigint, known bigint) returns setof nodes
language plpgsql as '
begin
  perform pg_advisory_xact_lock(7420002);
  if known > 0 and not exists (select 1 from nodes where id = node and beats >= known) then return; end if;
  insert into nodes (id, until, details, beats, joined)
    values (node, clock_timestamp() + lease, says, beat, clock_timestamp())
    on conflict (id) do update set until = excluded.until, details = excluded.details, beats = excluded.beats,
      joined = case when nodes.until < clock_timestamp() then excluded.joined else nodes.joined end;
  delete from nodes where until < clock_timestamp() - interval ''30 days'';
  return query select * from nodes where until > clock_timestamp() order by joined, id;
end';
`;
