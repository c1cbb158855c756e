/** A way to ask people from outside, with the line to copy. */
export interface Way {
  readonly name: string;
  readonly line: string;
}

interface Ways {
  /** Programs that `parley connect` sets up completely. */
  readonly connected: readonly Way[];
  /** Programs that need a token of their own. */
  readonly withToken: readonly Way[];
  readonly token: Way;
  /** Ways to have this server's own sessions in an editor. */
  readonly asAgent: readonly Way[];
}

const defaultPort = '7420';

/** Returns how programs can ask through the server of this page. */
export function listWays({ origin, hostname, port }: URL): Ways {
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const isDefault = isHere && port === defaultPort;
  const where = isDefault ? '' : ` --url ${origin}${isHere ? '' : ' --token "$PARLEY_ASK_TOKEN"'}`;
  const body = { channel: 'shell', toolName: 'ask_human', args: { question: 'Tea or coffee?' } };
  const curl = [
    `curl "${origin}/api/calls?wait=60"`,
    '-H "Authorization: Bearer $PARLEY_ASK_TOKEN"',
    '-H "Content-Type: application/json"',
    `-d '${JSON.stringify(body)}'`,
  ];
  const at = isDefault ? '' : ` --port ${port}`;
  const ask = `parley ask "Tea or coffee?" --option tea --option coffee${at}`;
  return {
    connected: [
      { name: 'Claude Code', line: `parley connect claude${where}` },
      { name: 'Codex', line: `parley connect codex${where}` },
    ],
    withToken: [
      { name: 'Terminal and tabs of Codex', line: `parley connect codex --live${where}` },
      ...(isHere ? [{ name: 'An agent in Zed or JetBrains', line: `parley acp${at} -- opencode acp` }] : []),
      { name: 'Any MCP client', line: `${origin}/mcp` },
      ...(isHere ? [{ name: 'A script', line: ask }] : []),
      { name: 'Plain HTTP', line: curl.join(' ') },
    ],
    token: { name: 'A token', line: 'parley token create --role asker' },
    asAgent: isHere ? [{ name: 'Parley in Zed or JetBrains', line: `parley acp-serve${at}` }] : [],
  };
}
