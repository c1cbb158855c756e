/** Events between the elements inside; they must not leave the embedding element. */
export const innerEvents = [
  'parley-all',
  'parley-answer',
  'parley-answered', // from the inbox's card to its list; the element fires its own when the server has accepted the answer
  'parley-broken',
  'parley-choose',
  'parley-close',
  'parley-confirm',
  'parley-dock',
  'parley-draft',
  'parley-earlier',
  'parley-edit',
  'parley-filter',
  'parley-leave',
  'parley-permissions',
  'parley-read',
  'parley-reply',
  'parley-respond',
  'parley-send',
  'parley-sight',
  'parley-stop',
  'parley-take-back',
] as const;
