import '/parley/index.js'; // the folder dist/elements of @parleyhq/web; with a bundler: import '@parleyhq/web'

const login = await (await fetch('/parley.json')).json(); // { server, token }: from your own server, for this person
Object.assign(document.querySelector('parley-inbox'), login);
document.addEventListener('parley-answered', ({ detail }) => console.log(`${detail.action}: ${detail.interactionId}`));
