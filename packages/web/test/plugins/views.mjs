// Views that behave, that fail, and that attack. `data` has the address of a server that records whatever gets out.
import { hostileViews } from './hostile-views.mjs';

const page = (script, body = '') => `<!doctype html><body>${body}<script>${script}</script>`;

const views = {
  good: {
    height: 120,
    html: page(
      `const [text, press] = [document.querySelector('p'), document.querySelector('button')];
      parley.onShow(({ data, values, isDisabled }) => {
        text.textContent = data.word + ': ' + (values.word ?? '');
        press.disabled = isDisabled;
        press.onclick = () => parley.propose({ word: data.word, key: 'stolen', other: 1, count: 'no number' });
      });
      parley.resize(2000);`,
      '<p></p><button>Take it</button>',
    ),
  },
  silent: { html: page('parley.resize(100)') },
  gone: { html: page('parley.onShow(() => { location.href = "about:blank" })') },
  ...Object.fromEntries(
    Object.entries(hostileViews).map(([name, attack]) => [
      name,
      { html: page(`parley.onShow(async (content) => { (${attack})(content, content.data) })`) },
    ]),
  ),
};

const fields = [
  { id: 'word', type: 'text', label: 'Word', required: true, maxLength: 10 },
  { id: 'count', type: 'number', label: 'Count' },
  { id: 'key', type: 'secret', label: 'Key' },
];

export default {
  name: 'views',
  views,
  tools: [
    {
      name: 'show',
      description: 'Shows a view of its own.',
      parameters: { type: 'object' },
      handler: ({ view, data }, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          title: 'Which word?',
          view: { name: view, data },
          inputSchema: { type: 'form', fields },
        }),
    },
    {
      name: 'agree',
      description: 'Shows a view beside an approval.',
      parameters: { type: 'object' },
      handler: ({ view, data }, ctx) =>
        ctx.requestInteraction({
          type: 'approval',
          title: 'Publish it?',
          subject: { kind: 'text', text: 'the word' },
          view: { name: view, data },
        }),
    },
  ],
};
