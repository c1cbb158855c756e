import type { ServerOptions } from '@parleyhq/server';
import { fillFromEnvironment } from './from-environment.ts';

type ReviewerSettings = NonNullable<ServerOptions['reviewers']>[number];

/** Replaces each `{ "env": "NAME" }` by that environment variable. @throws SettingsError naming one that is not set */
export function fillReviewers(
  reviewers: readonly ReviewerSettings[],
  env: Readonly<Record<string, string | undefined>>,
): ReviewerSettings[] {
  return reviewers.map(({ config = {}, ...reviewer }) => ({
    ...reviewer,
    config: fillFromEnvironment(config, env, 'reviewers') as NonNullable<ReviewerSettings['config']>,
  }));
}
