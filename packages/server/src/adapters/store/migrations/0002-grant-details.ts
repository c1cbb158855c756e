/** Details of a grant: its giver, subject and expiry, as one JSON text except for the expiry, by which queries filter. */
export const grantDetails = `
alter table grants add column expires_at text;
alter table grants add column details text not null default '{}';
`;
