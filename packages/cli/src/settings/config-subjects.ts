import { isRecord } from '@parleyhq/core';
import { resolveModule } from './import-module.ts';
import { fileSubject, type Subject } from './trust.ts';

type Config = Readonly<Record<string, unknown>>;

/** Settings by which a config file can run code, give access, skip approvals, or move or delete data. */
export const powers: Readonly<Record<string, (config: Config) => boolean>> = {
  plugins: (config) => 'plugins' in config,
  pluginConfigs: (config) => 'pluginConfigs' in config,
  'anthropic.baseUrl': ({ anthropic }) => isRecord(anthropic) && 'baseUrl' in anthropic,
  notifiers: (config) => 'notifiers' in config,
  publicUrl: (config) => 'publicUrl' in config,
  auditSink: (config) => 'auditSink' in config,
  store: (config) => 'store' in config,
  token: (config) => 'token' in config,
  auth: ({ auth }) => auth === false,
  oidc: (config) => 'oidc' in config,
  host: (config) => 'host' in config,
  behindProxy: (config) => 'behindProxy' in config,
  allowedOrigins: (config) => 'allowedOrigins' in config,
  frameAncestors: (config) => 'frameAncestors' in config,
  policies: ({ policies }) =>
    Array.isArray(policies) && policies.some(({ effect }) => effect === 'allow' || effect === 'review'),
  reviewers: (config) => 'reviewers' in config,
  retention: (config) => 'retention' in config, // deletes sessions
  watch: ({ watch }) => watch === true, // trusts files that change while it runs
};

/** What must be trusted to use a config file that nobody named: the file, if it sets one of `powers`, and its plugins (SEC10). */
export function configSubjects(configFile: string, config: Config, cwd: string): Subject[] {
  const given = Object.keys(powers).filter((name) => powers[name]?.(config));
  if (given.length === 0) return [];
  const file = fileSubject(configFile, `a config file that sets ${given.join(', ')}`);
  return [file, ...findPlugins(config, cwd).map((path) => fileSubject(path, 'a plugin, which is a program'))];
}

/** Files of the plugins; missing ones are left out, because loading the plugins reports them. */
function findPlugins({ plugins }: Config, cwd: string): string[] {
  const modules = Array.isArray(plugins) ? plugins.map((entry) => (isRecord(entry) ? entry.module : entry)) : [];
  return modules.flatMap((module) => {
    try {
      return [resolveModule(String(module), cwd)];
    } catch {
      return [];
    }
  });
}
