import type { RequestPart } from '@parleyhq/client/testing';
import type { FormSchema } from '@parleyhq/core';

const cities = [
  { value: 'lisbon', label: 'Lisbon', description: 'Hills and tiles' },
  { value: 'oslo', label: 'Oslo' },
];

/** A form with every type of field. */
export const everyField: FormSchema = {
  type: 'form',
  submitLabel: 'Save',
  fields: [
    { id: 'name', type: 'text', header: 'Name', label: 'Full name', required: true, minLength: 2 },
    { id: 'about', type: 'textarea', label: 'About you' },
    { id: 'age', type: 'number', label: 'Age', min: 0, max: 150, step: 1 },
    { id: 'news', type: 'checkbox', label: 'Send me news' },
    { id: 'city', type: 'select', label: 'Home town', options: cities, other: true },
    { id: 'tongues', type: 'multiselect', label: 'Languages', options: cities, max: 2 },
    { id: 'contact', type: 'radio', label: 'Reach me by', options: [...cities], other: true, description: 'One way.' },
    { id: 'phone', type: 'text', label: 'Phone', required: true, when: { field: 'contact', equals: 'oslo' } },
    { id: 'day', type: 'date', label: 'First day' },
    { id: 'time', type: 'time', label: 'Time' },
    { id: 'moment', type: 'datetime', label: 'Call me at' },
    { id: 'password', type: 'secret', label: 'Password' },
    { id: 'street', type: 'text', label: 'Street', required: true },
  ],
  sections: [
    { id: 'address', title: 'Address', description: 'Or leave it empty.', optional: true, fields: ['street'] },
  ],
};

export const oneField: FormSchema = {
  type: 'form',
  fields: [{ id: 'email', type: 'text', label: 'Email', required: true }],
};

export const approval: RequestPart = {
  title: 'Deploy to production?',
  prompt: 'Version 2.1 goes live.',
  subject: { kind: 'command', text: 'deploy --to production' },
  risk: 'high',
  approvalScopes: ['once', 'session', 'always'],
};

export const input = (inputSchema: FormSchema, part: RequestPart = {}): RequestPart => ({
  interactionType: 'input',
  title: 'A question',
  inputSchema,
  ...part,
});

/** A choice of one, with a text field for notes. */
export const database = (part: RequestPart = {}) =>
  input(
    {
      type: 'form',
      fields: [
        {
          id: 'answer',
          type: 'radio',
          label: 'Answer',
          required: true,
          other: true,
          options: [
            { value: 'p', label: 'PostgreSQL (Recommended)', description: 'A server' },
            { value: 's', label: 'SQLite' },
          ],
        },
        { id: 'notes', type: 'text', label: 'Notes' },
      ],
    },
    { title: 'Which database?', ...part },
  );
