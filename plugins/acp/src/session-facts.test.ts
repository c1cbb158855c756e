import { expect, test } from 'vitest';
import { describeNews, readFacts, readSettings } from './session-facts.ts';

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask first' },
    { id: 'auto', name: 'Auto' },
  ],
};
const models = { currentModelId: 'm1', availableModels: [{ modelId: 'm1', name: 'Small' }] };
const option = (id: string, currentValue: string, options: object[]) => ({
  id,
  category: id,
  type: 'select',
  currentValue,
  options,
});
const values = [
  { value: 'plan', name: 'Plan' },
  { value: 'build', name: 'Build' },
];

test.each([
  [
    { modes, models },
    { Mode: 'Ask first', Model: 'Small' },
  ],
  [{ configOptions: [option('mode', 'plan', values)], modes }, { Mode: 'Plan' }],
  [{ configOptions: [option('model', 'build', [{ group: 'g', options: values }])] }, { Model: 'Build' }],
  [{ configOptions: [{ ...option('x', 'plan', values), category: 'mode' }] }, { Mode: 'Plan' }],
  [{ configOptions: [option('mode', 'unlisted', values)] }, { Mode: 'unlisted' }],
  [null, {}],
  [{ modes: 'none', models: 7, configOptions: [null, 'x'] }, {}],
])('[ACP1] a session begins with %j', (settings, facts) => {
  expect(readSettings(settings)).toEqual(facts);
});

test.each([
  [{ sessionUpdate: 'current_mode_update', currentModeId: 'auto' }, { Mode: 'Auto' }],
  [{ sessionUpdate: 'current_mode_update', currentModeId: 'other' }, { Mode: 'other' }],
  [{ sessionUpdate: 'config_option_update', configOptions: [option('model', 'build', values)] }, { Model: 'Build' }],
  [{ sessionUpdate: 'session_info_update', title: 'Fix the\n**log-in**' }, { Title: 'Fix the log-in' }],
  [{ sessionUpdate: 'session_info_update', updatedAt: 'now' }, {}],
  [
    { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'init' }, { name: 'review' }] },
    { Commands: '/init, /review' },
  ],
  [{ sessionUpdate: 'moon_phase' }, undefined],
])('[ACP1] the update %j', (update, facts) => {
  expect(readFacts(update, { modes })).toEqual(facts);
});

test('[ACP1] only what is new is described', () => {
  expect(describeNews({}, { Mode: 'Plan', Model: 'Small' })).toBe('*Mode: Plan · Model: Small*');
  expect(describeNews({ Mode: 'Plan' }, { Mode: 'Plan', Model: 'Small' })).toBe('*Model: Small*');
  expect(describeNews({ Mode: 'Plan' }, { Mode: 'Plan' })).toBeUndefined();
});

test('[ACP1, SEC6] a long name or list is cut', () => {
  expect(readFacts({ sessionUpdate: 'session_info_update', title: 'x'.repeat(1e6) }, {})?.Title).toHaveLength(102);
  const availableCommands = Array.from({ length: 1e5 }, (_, n) => ({ name: `c${n}` }));
  expect(readFacts({ sessionUpdate: 'available_commands_update', availableCommands }, {})?.Commands).toHaveLength(502);
});
