import { defineTool, type FormSchema, type FormValues, redacted } from '@parleyhq/core';
import * as z from 'zod';
import { askForm, completeForm } from './form-result.ts';
import { toOptions } from './options.ts';

const cities = [
  { value: 'lisbon', label: 'Lisbon', description: 'Hills and tiles' },
  { value: 'oslo', label: 'Oslo', description: 'Fjord and forest' },
];

const form: FormSchema = {
  type: 'form',
  submitLabel: 'Save profile',
  fields: [
    { id: 'name', type: 'text', header: 'Name', label: 'Full name', required: true, minLength: 2, maxLength: 80 },
    { id: 'email', type: 'text', label: 'Email', format: 'email', placeholder: 'ada@example.org' },
    { id: 'code', type: 'text', label: 'Invitation code', pattern: '[A-Z]{3}-\\d{3}', placeholder: 'ABC-123' },
    { id: 'about', type: 'textarea', label: 'About you', maxLength: 500 },
    { id: 'age', type: 'number', header: 'Age', label: 'Age in years', min: 0, max: 150, step: 1 },
    { id: 'budget', type: 'number', label: 'Budget', description: 'In steps of 0.5.', min: 0, step: 0.5 },
    { id: 'city', type: 'select', header: 'City', label: 'Home town', options: cities, other: true },
    { id: 'languages', type: 'multiselect', label: 'Languages', options: toOptions('en', 'fr', 'pt'), min: 1, max: 2 },
    { id: 'contact', type: 'radio', label: 'Reach me by', options: toOptions('email', 'phone'), defaultValue: 'email' },
    { id: 'phone', type: 'text', label: 'Phone', required: true, when: { field: 'contact', equals: 'phone' } },
    { id: 'day', type: 'date', label: 'First day', min: '2020-01-01', max: '2099-12-31' },
    { id: 'time', type: 'time', label: 'Time', min: '08:00', max: '18:00' },
    { id: 'moment', type: 'datetime', label: 'Call me at' },
    { id: 'news', type: 'checkbox', label: 'Send me news' },
    { id: 'password', type: 'secret', label: 'Password', description: 'Checked and not stored.', minLength: 8 },
    { id: 'street', type: 'text', label: 'Street', required: true },
    { id: 'postcode', type: 'text', label: 'Postcode', required: true },
  ],
  sections: [
    { id: 'person', title: 'You', fields: ['name', 'email', 'code', 'about', 'age', 'budget'] },
    { id: 'choices', title: 'Choices', fields: ['city', 'languages', 'contact', 'phone', 'news'] },
    { id: 'access', title: 'Access', fields: ['password'] },
    { id: 'dates', title: 'Dates and times', fields: ['day', 'time', 'moment'] },
    {
      id: 'address',
      title: 'Address',
      description: 'Leave it empty, or fill in both lines.',
      optional: true,
      fields: ['street', 'postcode'],
    },
  ],
};

/** Redacts the values of secret fields: they must not leave this tool, so that no model reads them (INT17). */
function redactSecrets(values: FormValues): FormValues {
  const secrets = form.fields.filter(({ id, type }) => type === 'secret' && values[id] !== undefined);
  return { ...values, ...Object.fromEntries(secrets.map(({ id }) => [id, redacted])) };
}

/** Shows every type of field except files. */
export const allFields = defineTool({
  name: 'all_fields',
  description: 'Show a form with every type of field and return the values, except for the secret.',
  parameters: z.object({}),
  readOnly: true,
  hibernates: true,
  handler: (_args, ctx) =>
    askForm(ctx, {
      title: 'Every kind of field',
      prompt: 'Only the name is required.',
      inputSchema: form,
      onResponse: (answer) => completeForm({ ...answer, input: redactSecrets(answer.input ?? {}) }),
      initialValues: { name: 'Ada Lovelace', languages: ['en'], news: true },
      completedView: { showInputs: true, summaryTemplate: '{{input.name}} was saved by {{by}}' },
    }),
});
