import { definePlugin, defineTool, type FormSchema, type InteractionAnswer, type Outcome } from '@parleyhq/core';
import * as z from 'zod';

const form: FormSchema = {
  type: 'form',
  submitLabel: 'Sign up',
  fields: [
    { id: 'user', type: 'text', label: 'User name', required: true, pattern: '[a-z][a-z0-9-]*', maxLength: 32 },
    { id: 'password', type: 'secret', label: 'Password', required: true, minLength: 12 },
    {
      id: 'plan',
      type: 'radio',
      label: 'Plan',
      defaultValue: 'free',
      options: [
        { value: 'free', label: 'Free' },
        { value: 'team', label: 'Team', description: 'Needs an invoice address' },
      ],
    },
    {
      id: 'invoice',
      type: 'textarea',
      label: 'Invoice address',
      required: true,
      when: { field: 'plan', equals: 'team' },
    },
  ],
};

const taken = new Set(['root', 'admin']);

const signUp = defineTool({
  name: 'sign_up',
  description: 'Let the person choose a user name, a password and a plan.',
  parameters: z.object({}),
  async handler(_args, ctx) {
    return ctx.requestInteraction({
      type: 'input',
      title: 'Sign up',
      inputSchema: form,
      onResponse: checkUser,
    });
  },
});

/** The password must stay here: a completed value is stored, and the model reads what the tool returns. */
function checkUser({ action, input = {} }: InteractionAnswer): Outcome {
  if (action === 'cancel') return { complete: { ok: false, cancelled: true } };
  const { user, password, plan } = input;
  if (taken.has(String(user))) return { reprompt: { fieldErrors: { user: `"${user}" is taken.` } } };
  createAccount(String(user), String(password));
  return { complete: { ok: true, user, plan } };
}

function createAccount(user: string, _password: string): void {
  taken.add(user);
}

export default definePlugin({ name: 'sign-up', tools: [signUp] });
