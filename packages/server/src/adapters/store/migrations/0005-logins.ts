/** Logins can be listed and ended one by one. Older ones have no time and no browser. */
export const logins = `
alter table logins add column id text;
alter table logins add column created_at text;
alter table logins add column details text not null default '{}';
update logins set id = lower(hex(randomblob(6)));
create unique index logins_by_id on logins (id);
`;
