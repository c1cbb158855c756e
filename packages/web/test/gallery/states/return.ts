import { comesBack, refuse } from '../fake-fetch.ts';
import type { GalleryState } from '../stage.ts';

const answers = (reply: () => Response) => () => {
  comesBack.reply = reply;
};

const back = { path: '/return?state=s&code=c' };

/** The page to which a browser returns from the site of a link prompt (PLG11). */
export const returnStates: readonly GalleryState[] = [
  { name: 'return: back', ...back, before: answers(() => Response.json({ ok: true })) },
  { name: 'return: nothing to bring', path: '/return' },
  {
    name: 'return: not logged in',
    ...back,
    before: answers(() => refuse(401, 'unauthorised', 'A valid token is needed.')),
  },
  {
    name: 'return: somebody else is logged in',
    ...back,
    before: answers(() =>
      refuse(403, 'forbidden', 'This is for whoever agreed to it, and somebody else is logged in here.'),
    ),
  },
];
