import { expect, test } from 'vitest';
import { fillNotifiers } from './notifier-settings.ts';

test('[NTF3] environment variables can be used anywhere in the configuration, also in lists', () => {
  const config = { secret: { env: 'OWN' }, targets: ['a', { env: 'OWN' }, { key: { env: 'OWN' } }], env: 'as it is' };
  expect(fillNotifiers([{ notifier: 'pager', config, people: {} }], { OWN: 'hunter2' })).toEqual([
    {
      notifier: 'pager',
      config: { secret: 'hunter2', targets: ['a', 'hunter2', { key: 'hunter2' }], env: 'as it is' },
      people: {},
    },
  ]);
});

test('[NTF3] a variable that is not set fails the start with its name', () => {
  const config = { list: [{ env: 'NOWHERE' }] };
  expect(() => fillNotifiers([{ notifier: 'pager', config, people: {} }], {})).toThrow(
    'the environment has no NOWHERE',
  );
});
