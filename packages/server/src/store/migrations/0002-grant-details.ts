/** Who gave a grant, for what and until when: one JSON text, except for the expiry, which queries filter by. */
export const grantDetails = `
alter table grants add column expires_at text;
alter table grants add column details text not null default '{}';
`;
