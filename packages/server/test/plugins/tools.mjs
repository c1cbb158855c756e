// Tools that return, throw, act too late or take too long.
const object = (properties = {}, required = []) => ({ type: 'object', properties, required });

const returned = {
  nothing: () => undefined,
  null: () => null,
  false: () => false,
  zero: () => 0,
  text: () => 'text',
  nested: () => ({ list: [1, { deep: true }], gone: undefined }),
  date: () => ({ at: new Date(0) }),
  circle: () => {
    const circle = {};
    circle.self = circle;
    return circle;
  },
  bigint: () => ({ n: 1n }),
  nan: () => [Number.NaN],
  map: () => ({ map: new Map([[1, 2]]) }),
  function: () => () => 1,
  promise: () => ({ later: Promise.resolve(1) }),
  huge: () => 'x'.repeat(1024 * 1024 + 1),
};

const thrown = {
  error: () => new Error('plain words'),
  coded: () => ({ code: 'no_stock', message: 'None left.' }),
  codedError: () => Object.assign(new TypeError('Wrong sort.'), { code: 'wrong_sort' }),
  numberCode: () => ({ code: 7, message: 'No text.' }),
  text: () => 'just a text',
  nothing: () => undefined,
};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export default {
  name: 'tools',
  tools: [
    {
      name: 'returns',
      description: 'Returns it.',
      parameters: object({ what: { type: 'string' } }),
      handler: ({ what }) => returned[what](),
    },
    {
      name: 'throws',
      description: 'Throws it.',
      parameters: object({ what: { type: 'string' } }),
      handler({ what }) {
        throw thrown[what]();
      },
    },
    {
      name: 'throws_context_error',
      description: 'Throws what the context makes.',
      parameters: object(),
      handler(_, ctx) {
        throw ctx.error('denied', 'Not on a Friday.');
      },
    },
    {
      name: 'foreign',
      description: 'Returns its arguments, whose schema the APIs of models refuse as it is.',
      parameters: {
        type: 'object',
        properties: {
          'filter[id]': { type: 'integer', minimum: 1, exclusiveMinimum: true },
          名前: { type: 'string', required: true, examples: {}, description: null },
        },
        required: ['filter[id]', '名前'],
        anyOf: [{ required: ['名前'] }],
      },
      handler: (args) => args,
    },
    { name: 'echo', description: 'Returns its arguments.', parameters: object(), handler: (args) => args },
    {
      name: 'checked',
      description: 'Wants its arguments right.',
      parameters: {
        type: 'object',
        properties: {
          count: { type: 'integer', minimum: 1 },
          names: { type: 'array', items: { type: 'string' } },
          options: { type: 'object', properties: { deep: { type: 'boolean' } } },
          maybe: { type: ['array', 'null'], items: { type: 'number' } },
          text: { type: 'string' },
        },
        required: ['count'],
        additionalProperties: false,
      },
      handler: (args) => args,
    },
    {
      name: 'untyped',
      description: 'Its schema says no type, and names a part in the old way.',
      parameters: {
        definitions: { size: { type: 'string', enum: ['s', 'm'] } },
        properties: { size: { $ref: '#/definitions/size' }, count: { type: 'integer', default: 1 } },
        required: ['size'],
      },
      handler: (args) => args,
    },
    {
      name: 'strays',
      description: 'Leaves a rejection behind.',
      parameters: object(),
      handler() {
        void Promise.reject(new Error('a stray rejection'));
        return 'done';
      },
    },
    {
      name: 'bursts',
      description: 'Throws where nobody can catch it.',
      parameters: object(),
      async handler() {
        setTimeout(() => {
          throw new Error('a burst');
        }, 0);
        await sleep(20);
        return 'done';
      },
    },
    {
      name: 'slow',
      description: 'Takes longer than it may.',
      parameters: object(),
      timeoutMs: 100,
      async handler(_, ctx) {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        return 'late';
      },
    },
    {
      name: 'patient',
      description: 'Waits for a person much longer than it may work.',
      parameters: object(),
      timeoutMs: 250,
      async handler(_, ctx) {
        const form = { type: 'form', fields: [{ id: 'answer', type: 'text' }] };
        const [answer] = await Promise.all([
          ctx.requestInteraction({ type: 'input', key: 'a', inputSchema: form }),
          ctx.requestInteraction({ type: 'input', key: 'b', inputSchema: form, timeoutMs: 700 }),
        ]);
        await sleep(20);
        return answer.input;
      },
    },
    {
      name: 'progress',
      description: 'Says how far it is.',
      parameters: object(),
      async handler(_, ctx) {
        ctx.progress('one, ');
        ctx.progress('two');
        const form = { type: 'form', fields: [] };
        await ctx.requestInteraction({ type: 'input', inputSchema: form });
        return 'done';
      },
    },
    {
      name: 'who',
      description: 'Says what the context says.',
      parameters: object(),
      handler: (_, { sessionId, toolCallId, turnId, toolName, signal }) => ({
        sessionId,
        toolCallId,
        turnId,
        toolName,
        aborted: signal.aborted,
      }),
    },
    {
      name: 'remember',
      description: 'Keeps a value for this session.',
      parameters: object(),
      async handler({ key, value }, ctx) {
        const before = await ctx.state.get(key);
        await ctx.state.set(key, value);
        return { before: before ?? null };
      },
    },
  ],
};
