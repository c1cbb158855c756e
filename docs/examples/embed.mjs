import '/parley/index.js'; // the folder dist/elements of @parleyhq/web; with a bundler: import '@parleyhq/web'

const inbox = document.querySelector('parley-inbox');
inbox.addEventListener('parley-answered', ({ detail }) => console.log(`${detail.action}: ${detail.interactionId}`));
inbox.addEventListener('parley-error', ({ detail }) => console.error(detail.message));
Object.assign(inbox, await (await fetch('/parley.json')).json()); // { server, token }: from your own server, for this person
