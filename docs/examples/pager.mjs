import { appendFile } from 'node:fs/promises';

/** Appends a line to a file for each notification about a waiting prompt. */
const pager = {
  name: 'pager',
  configSchema: {
    type: 'object',
    properties: { file: { type: 'string' } },
    required: ['file'],
  },
  async notify(news, { config, signal }) {
    if (news.type === 'settled') return false; // a line that was read cannot be taken back
    signal.throwIfAborted();
    const whom = news.to.name ?? news.to.principal;
    await appendFile(config.file, `${whom}: ${news.kind} in ${news.sessionTitle} ${news.url}\n`);
  },
};

export default { name: 'pager', tools: [], notifiers: [pager] };
