/** What the elements inside tell each other: none of it is for the page around. */
export const innerEvents = [
  'parley-all',
  'parley-answer',
  'parley-answered', // an inbox's card says it to its list; the element itself says it once the server took the answer
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
