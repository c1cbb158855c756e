import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { isRecord } from '@parleyhq/core';
import { requireModule } from '../serve/plugins.ts';
import { fillNotifiers } from '../settings/notifier-settings.ts';
import { fillOidc } from '../settings/oidc-setting.ts';
import { fillReviewers } from '../settings/reviewer-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { type Finding, fault, ok, wordsOf } from './finding.ts';
import { NoReplyError, request } from './request.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Examines what the settings name, without running any of it: plugins, MCP servers, notifiers, reviewers, the provider of log-ins. */
export async function examineConfigured(settings: Settings, env: Environment): Promise<readonly Finding[]> {
  const found = await Promise.all([examineMcpServers(settings, env), examineIssuer(settings)]);
  return [...examinePlugins(settings), ...examineEnvironment(settings, env), ...found.flat()];
}

function examinePlugins({ plugins }: Settings): readonly Finding[] {
  const subject = 'Plugins';
  const modules = plugins.map((entry) => (typeof entry === 'string' ? entry : entry.module));
  const faults = modules.flatMap((module) => findError(() => requireModule(module, process.cwd())));
  if (faults.length > 0) return faults.map((words) => fault(subject, 'plugin-missing', words));
  return modules.length === 0 ? [] : [ok(subject, `${modules.join(', ')}: found. parley check <plugin> tries one.`)];
}

/** Examines whether the variables that the settings name are set here. The server may have others. */
function examineEnvironment({ notifiers, oidc, reviewers }: Settings, env: Environment): readonly Finding[] {
  const parts = [() => fillNotifiers(notifiers, env), () => fillOidc(oidc, env), () => fillReviewers(reviewers, env)];
  return parts
    .flatMap(findError)
    .map((words) => fault('Settings', 'environment', `${words} The server does not start without it.`));
}

function findError(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [wordsOf(error)];
  }
}

async function examineMcpServers({ pluginConfigs }: Settings, env: Environment): Promise<readonly Finding[]> {
  const { mcp } = pluginConfigs;
  const servers = isRecord(mcp) && isRecord(mcp.mcpServers) ? Object.entries(mcp.mcpServers) : [];
  const found = await Promise.all(
    servers.map(async ([name, server]) => {
      if (!isRecord(server) || server.disabled === true) return [];
      const { command, url, cwd } = server;
      const words =
        typeof url === 'string' ? await findAbsence(url) : (findNoProgram(command, env) ?? findNoFolder(cwd));
      const subject = `MCP server ${name}`;
      return words === undefined ? [ok(subject, present(server))] : [fault(subject, 'mcp-server', words)];
    }),
  );
  return found.flat();
}

function present({ url }: { readonly url?: unknown }): string {
  return typeof url === 'string'
    ? 'Something answers at its address.'
    : 'Its program is there, and was not started: if its tools are missing, the log of the server says why.';
}

function findNoFolder(cwd: unknown): string | undefined {
  if (typeof cwd !== 'string' || existsSync(cwd)) return undefined;
  return `There is no folder ${cwd}, in which it should run ("cwd"): its tools are missing.`;
}

/** Whatever answers counts: without its token a server may refuse. */
async function findAbsence(url: string): Promise<string | undefined> {
  if (!URL.canParse(url)) return 'Its "url" is not an address: its tools are missing.';
  try {
    await request(url, { method: 'HEAD' });
    return undefined;
  } catch (error) {
    if (!(error instanceof NoReplyError)) throw error;
    return `Nothing answers at ${new URL(url).origin} (${error.message}): its tools are missing until it does.`;
  }
}

function findNoProgram(command: unknown, { PATH = '' }: Environment): string | undefined {
  if (typeof command !== 'string') return 'It has neither a "command" nor a "url": its tools are missing.';
  const isPath = isAbsolute(command) || command.includes(sep);
  const places = isPath ? [command] : PATH.split(delimiter).map((folder) => join(folder, command));
  if (process.platform === 'win32' || places.some((place) => existsSync(place))) return undefined;
  return `There is no program ${command}${isPath ? '' : ' on the path'}: its tools are missing.`;
}

/** Examines whether the provider of log-ins can be reached and is the one that the settings name (SIGN1). */
async function examineIssuer({ oidc }: Settings): Promise<readonly Finding[]> {
  if (!oidc) return [];
  const subject = 'Log-in';
  const url = `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const described: unknown = JSON.parse((await request(url)).text);
    const { issuer } = isRecord(described) ? described : {};
    if (issuer === oidc.issuer) return [ok(subject, `${oidc.issuer} answers.`)];
    return [
      fault(
        subject,
        'issuer',
        `${url} names another issuer (${JSON.stringify(issuer)}): "issuer" must be exactly that.`,
      ),
    ];
  } catch (error) {
    const why = error instanceof NoReplyError ? error.message : 'not in JSON';
    return [fault(subject, 'issuer', `${url} gives no description of the provider (${why}): nobody can log in there.`)];
  }
}
