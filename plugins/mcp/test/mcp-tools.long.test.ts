import { useInTest } from '@parleyhq/server/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HttpToy } from './http-toy.ts';
import { begin, callOf, run, startMcp, toyServer, useMcp } from './mcp-stage.ts';

const server = useMcp({ old: toyServer('legacy'), new: toyServer('modern') });

const eras = ['old', 'new'] as const;

test.each(eras)('[AGT4] tools of a server of the %s era are tools', async (era) => {
  expect(await run(server, `${era}__echo`, { text: 'hello' })).toBe('hello');
  expect(await run(server, `${era}__structured`)).toEqual({ sum: 3 });
  expect(await run(server, `${era}__picture`)).toEqual({
    content: [
      { type: 'text', text: 'A dot.' },
      { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) },
    ],
  });
  expect(await run(server, `${era}__fail`)).toEqual({
    code: 'mcp_error',
    message: `The MCP server "${era}" says: the disk is full`,
  });
});

test.each(eras)(
  '[AGT4, APR3] a call of the %s era is asked about, unless the server claims that it only reads',
  async (era) => {
    const journey = await begin(server);
    const prompt = await journey.ask(`${era}__write`, { text: 'a' });
    expect(prompt).toMatchObject({
      interactionId: `${prompt.toolCallId}.0`,
      title: `Call “write” of the MCP server “${era}”`,
      prompt: 'The server makes no claims about it.\n\nThe server describes it: Writes it down.',
      risk: 'medium',
      source: { kind: 'policy', name: era },
      rules: [{ label: `“write” of the MCP server “${era}” with any arguments, as it is described now` }],
    });
    expect(JSON.parse(prompt.subject!.text)).toEqual({ text: 'a' });
    await journey.answer(prompt, { action: 'approve', approvalScope: 'session', ruleId: 'tool' });
    expect((await journey.result()).result).toBe('wrote a');
    expect((await journey.run(`${era}__write`, { text: 'b' })).result).toBe('wrote b');
  },
);

test('[APR3] a claim that it destroys makes the risk higher; none makes it lower', async () => {
  const journey = await begin(server);
  const prompt = await journey.ask('old__destroy');
  expect(prompt).toMatchObject({
    risk: 'high',
    prompt: expect.stringContaining('The server claims: it can destroy. Nobody has checked that.'),
  });
  await journey.answer(prompt, { action: 'deny', reason: 'No.' });
  expect((await journey.result()).error).toMatchObject({ code: 'denied', message: 'No.' });
});

test.each(eras)('[AGT4] progress and logs of the %s era are shown while the call runs', async (era) => {
  const journey = await begin(server);
  let said = '';
  journey.session.subscribe(() => {
    said += JSON.stringify(journey.session.state.streams);
  });
  expect((await journey.run(`${era}__slow`)).result).toBe('done');
  expect(said).toContain('half (1 of 2)');
  expect(said).toContain('[warning] it takes its time');
});

test('[SEC8] a server gets none of Parley’s environment variables except PATH, HOME and USER', async () => {
  vi.stubEnv('TOY_API_KEY', 'sk-secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  const own = await startMcp({ toy: { ...toyServer('legacy'), env: { GIVEN: 'yes' } } });
  const environment = JSON.parse(String(await run(own, 'toy__environment')));
  expect(environment).toMatchObject({ GIVEN: 'yes', PATH: expect.any(String) });
  expect(Object.keys(environment).filter((name) => /^PARLEY_|_API_KEY$|^VITEST/.test(name))).toEqual([]);
});

test.each(['legacy', 'modern'] as const)(
  '[AGT4] a server of the %s era that ends is started again, and the call says so',
  async (era) => {
    const own = await startMcp({ toy: toyServer(era) });
    expect(await run(own, 'toy__die')).toMatchObject({
      code: 'mcp_closed',
      message: expect.stringContaining('is not known'),
    });
    expect(await run(own, 'toy__echo', { text: 'back' })).toBe('back');
  },
);

test.each(['legacy', 'modern'] as const)(
  '[AGT4] a server of the %s era over HTTP works like any other, and is found again after a restart',
  async (era) => {
    const toy = await useInTest(new HttpToy(era));
    const own = await startMcp({ web: { type: 'http', url: toy.url, headers: { authorization: 'Bearer given' } } });
    expect(await run(own, 'web__echo', { text: 'hello' })).toBe('hello');
    expect(toy.authorizations).toEqual(new Set(['Bearer given']));
    await toy.restart();
    expect(await run(own, 'web__echo', { text: 'again' })).toBe('again');
    const journey = await begin(own);
    const requestedSchema = { type: 'object', properties: { word: { type: 'string' } } };
    const prompt = await journey.ask('web__ask', { params: { mode: 'form', message: 'Which?', requestedSchema } });
    await journey.submit(prompt, { word: 'this' });
    const { result } = await journey.result(prompt);
    expect(JSON.parse(String(result))).toEqual({ action: 'accept', content: { word: 'this' } });
  },
);

test('[AGT4] a server that cannot be reached does not disturb Parley; its tools appear when it does, and stay known after a restart', async () => {
  const toy = await useInTest(new HttpToy());
  await toy.stop();
  const own = await startMcp({ web: { url: toy.url } });
  expect(await run(own, 'web__echo')).toMatchObject({ code: 'unknown_tool' });
  await toy.start();
  await expect.poll(() => run(own, 'web__echo', { text: 'there' })).toBe('there');
  await toy.stop();
  await own.restart();
  expect(await run(own, 'web__echo')).toMatchObject({ code: 'mcp_unavailable' });
});

test('[AGT4] tools that a server adds while it runs are offered, and those that it removes are not', async () => {
  const own = await startMcp({ toy: toyServer('legacy') });
  const journey = await begin(own);
  await journey.run('toy__change', { tool: { name: 'renamed' } });
  await expect.poll(() => callOf(own, 'toy__renamed')).toBe('interaction_request');
  expect(await run(own, 'toy__write')).toMatchObject({ code: 'unknown_tool' });
});

test.each(['legacy', 'modern'] as const)(
  '[AGT4] resources and prompts of a server of the %s era are tools that read, in a size that models can',
  async (era) => {
    const own = await startMcp({ toy: toyServer(era, '', 'shelf') });
    const listed = (await run(own, 'toy__list_resources')) as { resources: { description: string }[] };
    expect(listed).toMatchObject({
      resources: [{ uri: 'toy://notes', name: 'notes', mimeType: 'text/plain' }],
      templates: [{ uriTemplate: 'toy://{name}', name: 'any' }],
    });
    expect(listed.resources[0]?.description).toHaveLength(502);
    const readOf = async (name: string) =>
      ((await run(own, 'toy__read_resource', { uri: `toy://${name}` })) as { content: object[] }).content;
    expect(await readOf('notes')).toMatchObject([{ type: 'resource', uri: 'toy://notes', text: 'Buy milk.' }]);
    expect(await readOf('dot')).toMatchObject([{ type: 'resource', data: 'aGk=' }]);
    expect(JSON.stringify(await readOf('long'))).toContain('… (300000 characters)');
    expect(await run(own, 'toy__read_resource', { uri: 'toy://film' })).toContain('is left out');
    expect(await run(own, 'toy__read_resource', { uri: 'toy://none' })).toMatchObject({ code: 'mcp_error' });
    expect(await run(own, 'toy__list_prompts')).toMatchObject({
      prompts: [{ name: 'greet', takes: [{ name: 'whom' }] }],
    });
    expect(await run(own, 'toy__get_prompt', { name: 'greet', arguments: { whom: 'Ada' } })).toBe('user:\nGreet Ada.');
    expect(await run(server, `${era === 'legacy' ? 'old' : 'new'}__list_resources`)).toMatchObject({
      code: 'unknown_tool',
    });
  },
);

test('[AGT4] a tool whose schema has conditions, or refers to itself, is still offered', async () => {
  const own = await startMcp({ toy: toyServer('legacy') });
  const journey = await begin(own);
  const conditions = JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}');
  await journey.run('toy__change', { tool: { inputSchema: { type: 'object', ...conditions } } });
  await expect.poll(() => callOf(own, 'toy__write', { text: 'a' })).toBe('interaction_request');
  await journey.run('toy__change', { tool: { inputSchema: { type: 'object', properties: { child: { $ref: '#' } } } } });
  await expect.poll(() => callOf(own, 'toy__write', { child: { child: {} } })).toBe('interaction_request');
});
