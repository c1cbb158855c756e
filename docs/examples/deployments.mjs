import { createHmac, timingSafeEqual } from 'node:crypto';

let secret = '';
let built = 'nothing';

const allowDeployment = {
  name: 'allow_deployment',
  description: 'Asks a person whether a version may be deployed.',
  parameters: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
  asking: true,
  handler: ({ version }, ctx) =>
    ctx.requestInteraction({
      type: 'approval',
      title: `Deploy ${version}?`,
      prompt: `The last build was ${built}.`,
      timeoutMs: null,
      onUnavailable: 'wait',
    }),
};

const gate = {
  method: 'POST',
  path: 'gate',
  access: 'program',
  timeoutMs: null,
  async handle(_request, { call, json }) {
    const outcome = await call({
      channel: 'deployments',
      toolName: 'allow_deployment',
      args: json(),
      from: { name: 'The build server' },
    });
    return Response.json({ allowed: outcome?.result?.action === 'approve' });
  },
};

const builds = {
  method: 'POST',
  path: '/webhooks/builds',
  access: 'none',
  async handle(request, { json, log, refuse }) {
    const wanted = createHmac('sha256', secret)
      .update(await request.text())
      .digest();
    const signature = Buffer.from(request.headers.get('x-signature') ?? '', 'hex');
    if (signature.length !== wanted.length || !timingSafeEqual(signature, wanted)) throw refuse('unauthorised');
    built = String(json().version);
    log.info('a build is done');
    return new Response(null, { status: 204 });
  },
};

export default {
  name: 'deployments',
  configSchema: { type: 'object', properties: { secret: { type: 'string' } }, required: ['secret'] },
  setup({ config }) {
    secret = config.secret;
  },
  tools: [allowDeployment],
  doors: [gate, builds],
};
