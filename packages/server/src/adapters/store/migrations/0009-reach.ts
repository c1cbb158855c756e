/** Devices that are notified of prompts, and their notifications (NTF4). */
export const reach = `
create table devices (
  id text not null primary key,
  endpoint text not null unique,
  details text not null
) strict;

create table deliveries (
  session integer not null,
  interaction_id text not null,
  target text not null,
  principal text not null,
  state text not null check (state in ('due', 'sent', 'failed', 'withdrawn')),
  at text not null,
  details text not null,
  primary key (session, interaction_id, target)
) strict, without rowid;
create index deliveries_by_time on deliveries (at);
create index deliveries_unfinished on deliveries (at) where state in ('due', 'sent');
`;
