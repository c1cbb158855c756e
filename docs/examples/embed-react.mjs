import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import '@parleyhq/web';

/** React 19 sets the properties of an element, and uses `on` with the name of an event as its listener. */
function Review({ server, token, sessionId, interactionId }) {
  const [outcome, setOutcome] = useState('Waiting for your answer.');
  return h(
    'section',
    null,
    h('p', { role: 'status' }, outcome),
    h('parley-interaction', {
      ...{ server, token, sessionId, interactionId },
      'onparley-settled': ({ detail }) => setOutcome(`Settled: ${detail.action ?? detail.status}`),
    }),
  );
}

const properties = await (await fetch('/prompt.json')).json();
createRoot(document.querySelector('#root')).render(h(Review, properties));
