import { definePlugin, defineTool } from '@parleyhq/core';

const page = `<!doctype html>
<body style="margin: 0; display: flex; justify-content: center; font: 32px system-ui">
<script>
  const stars = [1, 2, 3, 4, 5].map((stars) => {
    const button = document.createElement('button');
    button.setAttribute('aria-label', stars + ' of 5');
    button.onclick = () => parley.propose({ stars });
    return document.body.appendChild(button);
  });
  parley.onShow(({ data, values, isDisabled }) => {
    document.body.title = data.what;
    stars.forEach((button, n) => {
      button.textContent = n < (values.stars ?? 0) ? '★' : '☆';
      button.disabled = isDisabled;
    });
  });
</script>`;

export default definePlugin({
  name: 'stars',
  views: { stars: { html: page, height: 64 } },
  tools: [
    defineTool({
      name: 'rate',
      description: 'Ask the person how many stars something deserves.',
      parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
      handler: ({ what }: { what: string }, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          title: `How many stars for ${what}?`,
          view: { name: 'stars', data: { what } },
          inputSchema: {
            type: 'form',
            fields: [{ id: 'stars', type: 'number', label: 'Stars', required: true, min: 1, max: 5 }],
          },
          onResponse: ({ action, input }) => ({ complete: action === 'submit' ? input?.stars : null }),
        }),
    }),
  ],
});
