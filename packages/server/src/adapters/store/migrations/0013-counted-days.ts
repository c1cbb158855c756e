/** Sums of what statistics count, by day and kind of case (LESS1). The cases are counted again to fill it. */
export const countedDays = `
create table counted_days (
  session integer not null,
  day text not null,
  kind text not null,
  count integer not null,
  times text not null,
  newest text not null,
  unique (session, day, kind)
) strict;

delete from meta where name = 'counted';
`;
