/** Who gave a grant, for what, until when: one JSON text, but for the time that is asked for. */
export const grantDetails = `
alter table grants add column expires_at text;
alter table grants add column details text not null default '{}';
`;
