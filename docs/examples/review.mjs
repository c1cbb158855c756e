const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { args } = JSON.parse(Buffer.concat(chunks));

const isPlain = typeof args.query === 'string' && /^[\w .-]{1,80}$/.test(args.query);
const result = isPlain
  ? { verdict: 'pass', reason: 'It searches for a few plain words.' }
  : { verdict: 'ask', reason: 'It searches for something unusual.' };
process.stdout.write(JSON.stringify(result));
