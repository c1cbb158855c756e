import type { FormSchema } from '@parleyhq/core';
import { everyField, input, oneField } from '../../samples.ts';
import type { GalleryState } from '../stage.ts';

const choice: FormSchema = {
  type: 'form',
  fields: [
    {
      id: 'store',
      type: 'radio',
      label: 'Which database?',
      required: true,
      options: [
        { value: 'postgres', label: 'PostgreSQL', description: 'A server of its own.' },
        { value: 'sqlite', label: 'SQLite', description: 'One file, nothing to run.' },
      ],
      other: true,
    },
  ],
};

const stepper: FormSchema = {
  type: 'form',
  layout: 'stepper',
  fields: [
    {
      id: 'store',
      header: 'Database',
      type: 'radio',
      label: 'Which database?',
      required: true,
      options: choice.fields[0]?.options ?? [],
    },
    { id: 'name', header: 'Name', type: 'text', label: 'What is it called?', required: true },
  ],
  sections: [
    { id: 'a', fields: ['store'] },
    { id: 'b', fields: ['name'] },
  ],
};

const sketches: FormSchema = {
  type: 'form',
  fields: [
    {
      id: 'layout',
      type: 'radio',
      label: 'Which layout?',
      required: true,
      options: [
        {
          value: 'list',
          label: 'A list (Recommended)',
          description: 'One below the other.',
          preview: '┌────────────────┐\n│ ▪ First        │\n│ ▪ Second       │\n└────────────────┘',
        },
        {
          value: 'grid',
          label: 'A grid',
          preview: Array.from({ length: 12 }, (_, row) => `│ ${row} │ ${row} │ ${row} │`).join('\n'),
        },
      ],
    },
  ],
};

const regions: FormSchema = {
  type: 'form',
  fields: [
    {
      id: 'region',
      type: 'radio',
      label: 'Which region?',
      required: true,
      options: [
        'Dublin',
        'Frankfurt',
        'London',
        'Milan',
        'Paris',
        'Spain',
        'Stockholm',
        'Zurich',
        'Tokyo',
        'Osaka',
      ].map((label, n) => ({
        value: label,
        label,
        description: n % 3 === 0 ? 'Close to most of your users' : undefined,
      })),
    },
  ],
};

const asks = (name: string, form: FormSchema, part: object = {}): GalleryState => ({
  name: `form: ${name}`,
  before: (stage) => {
    stage.open();
    stage.ask('c.1', input(form, { title: 'Which database?', ...part }));
  },
});

export const formStates: readonly GalleryState[] = [
  asks('one choice', choice),
  asks('many options', regions, { title: 'Which region?' }),
  asks('previews', sketches, { title: 'Which layout?' }),
  asks('one text', oneField, { title: 'Your address?' }),
  asks('every field', everyField, { title: 'Who are you?' }),
  asks('steps', stepper),
  {
    ...asks('something is missing', oneField, { title: 'Your address?' }),
    after: (stage) => stage.click('OK'),
  },
];
