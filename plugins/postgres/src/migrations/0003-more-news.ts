/** Also notifies nodes of changed grants and devices. `sender` is the node that made the change and needs no notification. */
export const moreNews = `
alter table session_news
  drop constraint session_news_what_check,
  add constraint session_news_what_check check (what in ('created', 'deleted', 'grants', 'devices')),
  alter column session drop not null,
  add column sender text;
`;
