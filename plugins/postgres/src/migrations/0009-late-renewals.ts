/** A renewal that arrives after a later one does not set its count back. */
export const lateRenewals = `
create or replace function renew_node(node text, lease interval, says text, beat bigint, known bigint) returns setof nodes
language plpgsql as '
begin
  perform pg_advisory_xact_lock(7420002);
  if known > 0 and not exists (select 1 from nodes where id = node and beats >= known) then return; end if;
  insert into nodes (id, until, details, beats, joined)
    values (node, clock_timestamp() + lease, says, beat, clock_timestamp())
    on conflict (id) do update set until = excluded.until, details = excluded.details,
      beats = greatest(nodes.beats, excluded.beats),
      joined = case when nodes.until < clock_timestamp() then excluded.joined else nodes.joined end;
  delete from nodes where until < clock_timestamp() - interval ''30 days'';
  return query select * from nodes where until > clock_timestamp() order by joined, id;
end';
`;
