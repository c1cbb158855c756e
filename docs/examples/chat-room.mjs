/** Sends a request to the chat's own server, and returns its answer. */
async function ask({ server, key }, path, body, signal) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(server + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  if (!response.ok)
    throw Object.assign(new Error(`The chat answered ${response.status}.`), { isFinal: response.status === 403 });
  return response.json();
}

/** Draws a card: its texts as plain text, and a button for each answer. */
function draw(card) {
  const { title, prompt, subject, note, outcome, session, url, actions } = card;
  return {
    text: [outcome, title, prompt, subject?.text, note, `Session: ${session}`, `Open: ${url}`]
      .filter(Boolean)
      .join('\n'),
    // a button has room for the action and the ticket; forms and required reasons are left to the page
    buttons: actions
      .filter(({ needsValues, reason }) => !needsValues && reason !== 'required')
      .map(({ label, action, ticket }) => ({ label, data: `${action} ${ticket}` })),
  };
}

/** Handles what somebody did. Doing it again is harmless: the server gives the same answer the same reply. */
async function handle({ type, from, text, data, isPrivate, room, message }, host) {
  const account = { id: from.id, name: from.name };
  const say = (words) => ask(host.config, '/send', { room, text: words, buttons: [] });
  if (type === 'press') {
    const [action, ticket] = data.split(' ');
    const reply = await host.answer({ action, ticket }, account);
    const edit = () => ask(host.config, '/edit', { message, ...draw(reply.card) });
    if (reply.card) await host.redraw(message, reply.card, edit);
    await say(reply.text);
    return;
  }
  const [, code] = /^link (\S+)$/.exec(text) ?? [];
  if (code === undefined) return;
  if (isPrivate) await say((await host.link(code, account)).text);
  else await host.burn(code); // others may have read it
}

const room = {
  name: 'room',
  howToLink: 'Write "link {code}" to the bot, in a private room.',
  configSchema: {
    type: 'object',
    properties: { server: { type: 'string' }, key: { type: 'string' } },
    required: ['server', 'key'],
  },
  async notify(_news, { config, account, card, signal }) {
    const shown = card ? draw(card) : { text: 'A test of Parley.', buttons: [] };
    return (await ask(config, '/send', { to: account.id, ...shown }, signal)).message;
  },
  async update(_news, { config, card, message, signal }) {
    await ask(config, '/edit', { message, ...draw(card) }, signal);
  },
  async listen(host, signal) {
    for (let after = 0; !signal.aborted; ) {
      const { events } = await ask(host.config, '/events', { after }, signal);
      for (const event of events) {
        await handle(event, host);
        after = event.id; // what is not handled is delivered again
      }
    }
  },
};

export default { name: 'chat-room', tools: [], notifiers: [room] };
