const waiting = {
  name: 'waiting',
  summary: 'print the titles of the questions that wait for an answer',
  options: [{ flag: '--risk <level>', summary: 'only these', choices: ['low', 'medium', 'high'] }],
  examples: ['parley waiting --risk high'],
  exitCodes: '0 printed; 2 wrong usage; 3 nothing waits; 1 anything else',
  async run({ options, findServer, print }) {
    const { url, token } = await findServer();
    const response = await fetch(`${url}/api/interactions`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`The server answers ${response.status}.`);
    const { open } = await response.json();
    const titles = open
      .map(({ interaction }) => interaction)
      .filter(({ risk }) => options.risk === undefined || options.risk === risk)
      .map(({ title, prompt, interactionId }) => title ?? prompt ?? interactionId);
    if (titles.length === 0) throw Object.assign(new Error('Nothing waits.'), { exitCode: 3 });
    print(`${titles.join('\n')}\n`);
  },
};

export default { name: 'waiting', tools: [], commands: [waiting] };
