/** Grants and devices change for all nodes, and `sender` need not be told of its own. */
export const moreNews = `
alter table session_news
  drop constraint session_news_what_check,
  add constraint session_news_what_check check (what in ('created', 'deleted', 'grants', 'devices')),
  alter column session drop not null,
  add column sender text;
`;
