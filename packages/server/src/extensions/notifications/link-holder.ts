import type { Actor, AuditActor, Credential, Principal } from '@parleyhq/core';
import { newId } from '@parleyhq/runtime';

/** Somebody who answers without a connection. */
export interface LinkHolder {
  readonly principal: Principal;
  readonly credential: Credential;
  readonly actor: Actor;
  readonly auditActor: AuditActor;
}

/** Describes somebody who answers without a page of their own. */
export function describeHolder(
  { principal, credential }: Pick<LinkHolder, 'principal' | 'credential'>,
  as: { readonly label?: string | undefined; readonly transport: string },
): LinkHolder {
  const id = newId();
  const { name, owner, role } = principal;
  const actor: Actor = {
    clientId: id,
    connectionId: id,
    principal: principal.id,
    ...(name !== undefined && { name }),
    ...(owner !== undefined && { owner }),
    ...(as.label !== undefined && { label: as.label }),
    transport: as.transport,
    role,
  };
  return { principal, credential, actor, auditActor: { ...actor, address: '' } };
}
