import { expect, test } from 'vitest';
import { fillNotifiers } from './notifier-settings.ts';

test('[NTF3] variables of the environment stand anywhere in what is configured, in lists, too', () => {
  const config = { secret: { env: 'OWN' }, targets: ['a', { env: 'OWN' }, { key: { env: 'OWN' } }], env: 'as it is' };
  expect(fillNotifiers([{ notifier: 'pager', config, people: {} }], { OWN: 'hunter2' })).toEqual([
    {
      notifier: 'pager',
      config: { secret: 'hunter2', targets: ['a', 'hunter2', { key: 'hunter2' }], env: 'as it is' },
      people: {},
    },
  ]);
});

test('[NTF3] a variable that is not set stops the start, named', () => {
  const config = { list: [{ env: 'NOWHERE' }] };
  expect(() => fillNotifiers([{ notifier: 'pager', config, people: {} }], {})).toThrow(
    'the environment has no NOWHERE',
  );
});
