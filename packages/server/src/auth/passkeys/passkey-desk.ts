import { createHash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import {
  type Assertion,
  authorityOf,
  type Credential,
  ownerOf,
  type Passkey,
  type PasskeyUse,
  type Principal,
  RefusalError,
  type Store,
  StoreError,
} from '@parleyhq/core';
import { hashOf, newId } from '@parleyhq/runtime';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { Auth } from '../auth.ts';
import type { Tickets } from '../ticket.ts';
import type { Registration } from './registration.ts';
import { verifySignature } from './signature.ts';
import { loadWebAuthn } from './webauthn.ts';

/** Time in ms in which a change of one's passkeys must be completed once it was begun. */
const ticketMs = 5 * 60_000;

/** Whoever changes their passkeys. */
export interface Holder {
  readonly principal: Principal;
  readonly credential: Credential;
}

/** What is changed: a passkey is added, or the one with this id is removed. */
export type Purpose = 'add' | { readonly remove: string };

/** What a browser needs to complete a change. */
export interface Begun {
  readonly ticket: string;
  /** How to make the new passkey. */
  readonly creation?: PublicKeyCredentialCreationOptionsJSON;
  /** What one of the person's passkeys must sign; absent if they have none yet. */
  readonly signing?: PublicKeyCredentialRequestOptionsJSON;
}

export interface PasskeyDeskOptions {
  readonly passkeys: Store['passkeys'];
  readonly tickets: Tickets;
  readonly auth: Pick<Auth, 'findLogin'>;
  /** How long after its token was last entered a log-in may change passkeys, in ms; 0 for any time (SEC9). */
  readonly freshLoginMs: number;
  readonly now: () => number;
}

const expired = 'This took too long, or was begun with another log-in: begin again.';
const unsigned = 'You have a passkey already: sign this change with it. If it is lost, ask the operator to revoke it.';
const unmade = 'The new passkey could not be verified: try again.';
const bareAddress = 'Passkeys need a host name, not an IP address.';

/**
 * Adds and removes passkeys of people (SIGN2). It takes a log-in that showed its token lately and, from the second one on, the
 * signature of a passkey that the person already has: otherwise a stolen token could bring its own.
 */
export class PasskeyDesk {
  readonly #options: PasskeyDeskOptions;

  constructor(options: PasskeyDeskOptions) {
    this.#options = options;
  }

  list(principal: Principal): Promise<readonly Passkey[]> {
    return this.#options.passkeys.list(ownerOf(principal));
  }

  /** Begins a change. @param origin - of the page that begins it @throws RefusalError `login_again`, `invalid` */
  async begin(holder: Holder, purpose: Purpose, origin: string | undefined): Promise<Begun> {
    const { tickets, now } = this.#options;
    await this.#requireFresh(holder);
    const { hostname: rpID } = readOrigin(origin);
    const { generateAuthenticationOptions, generateRegistrationOptions } = await loadWebAuthn();
    const { principal } = holder;
    const person = ownerOf(principal);
    const own = await this.list(principal);
    const challenge = randomBytes(32);
    const ticket = tickets.sign('passkey', {
      ...{ person, login: nameLogin(holder), purpose: nameOf(purpose), origin: String(origin) },
      ...{ challenge: challenge.toString('base64url'), until: now() + ticketMs },
    });
    const known = own.map(({ credentialId: id, transports }) => ({ id, ...(transports && { transports }) }) as const);
    const usable = own.filter((passkey) => passkey.origin === origin).map(({ credentialId: id }) => ({ id }));
    const [first] = own;
    if (first && usable.length === 0) throw new RefusalError('step_up_required', { message: describeElsewhere(first) });
    const signing = own.length > 0 && {
      signing: await generateAuthenticationOptions({
        ...{ rpID, challenge: copy(challenge), allowCredentials: usable, userVerification: 'required' },
      }),
    };
    if (purpose !== 'add') return { ticket, ...signing };
    const creation = await generateRegistrationOptions({
      ...{ rpName: 'Parley', rpID, challenge: copy(challenge), attestationType: 'none' },
      userName: principal.name ?? person,
      userID: copy(createHash('sha256').update(person).digest()), // the same for all passkeys of a person, and says nothing
      excludeCredentials: known as never,
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    });
    return { ticket, creation, ...signing };
  }

  /** Completes the addition of a passkey. @throws RefusalError */
  async add(
    holder: Holder,
    given: { ticket: string; name: string; registration: Registration; assertion?: Assertion | undefined },
  ): Promise<Passkey> {
    const { challenge, origin } = this.#readTicket(holder, 'add', given.ticket);
    const person = ownerOf(holder.principal);
    const use = given.assertion && (await this.#verify(person, given.assertion, challenge));
    const passkey: Passkey = {
      ...{ id: newId(), person, name: given.name, origin },
      ...(await verifyNew(given.registration, challenge, origin)),
      createdAt: new Date(this.#options.now()).toISOString(),
    };
    await this.#options.passkeys.add(passkey, { authority: this.#authorityOf(holder), use }).catch(explain);
    return passkey;
  }

  /** @returns whether the person has such a passkey */
  rename({ principal, credential }: Holder, id: string, name: string): Promise<boolean> {
    const authority = authorityOf(credential, this.#options.now());
    return this.#options.passkeys.rename({ id, person: ownerOf(principal) }, name, authority);
  }

  /** @returns whether the person had such a passkey @throws RefusalError */
  async remove(holder: Holder, id: string, given: { ticket: string; assertion: Assertion }): Promise<boolean> {
    const { challenge } = this.#readTicket(holder, { remove: id }, given.ticket);
    const person = ownerOf(holder.principal);
    const use = await this.#verify(person, given.assertion, challenge);
    return this.#options.passkeys.remove({ id, person }, { authority: this.#authorityOf(holder), use }).catch(explain);
  }

  /** Refuses early what the store would refuse, so that nobody makes a passkey in vain. @throws RefusalError `login_again` */
  async #requireFresh({ credential }: Holder): Promise<void> {
    const { auth, freshLoginMs, now } = this.#options;
    const login = freshLoginMs > 0 ? await auth.findLogin(credential) : undefined;
    if (login && Date.parse(login.provedAt ?? login.createdAt ?? '') >= now() - freshLoginMs) return;
    if (login) throw new RefusalError('login_again');
  }

  #authorityOf({ credential }: Holder) {
    const { now, freshLoginMs } = this.#options;
    return authorityOf(credential, now(), freshLoginMs);
  }

  /** @throws RefusalError `invalid` */
  #readTicket(holder: Holder, purpose: Purpose, text: string) {
    const ticket = this.#options.tickets.read('passkey', text);
    const isOwn = ticket?.person === ownerOf(holder.principal) && ticket.login === nameLogin(holder);
    if (!ticket || !isOwn || ticket.purpose !== nameOf(purpose) || ticket.until <= this.#options.now())
      throw new RefusalError('invalid', { message: expired });
    return ticket;
  }

  /** @throws RefusalError `step_up_required` */
  async #verify(person: string, assertion: Assertion, challenge: string): Promise<PasskeyUse> {
    const { passkeys, now } = this.#options;
    const passkey = await passkeys.find(assertion.id);
    if (passkey?.person !== person) throw new RefusalError('step_up_required', { message: unsigned });
    const found = await verifySignature(assertion, passkey, challenge);
    if ('fault' in found) throw new RefusalError('step_up_required', { message: found.fault });
    return { credentialId: passkey.credentialId, person, counter: found.counter, now: now() };
  }
}

async function verifyNew(
  { id, response }: Registration,
  expectedChallenge: string,
  expectedOrigin: string,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const { transports, ...made } = response;
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { id, rawId: id, type: 'public-key', response: made, clientExtensionResults: {} },
    ...{ expectedChallenge, expectedOrigin, expectedRPID: new URL(expectedOrigin).hostname },
    requireUserVerification: true,
  }).catch((cause: unknown) => {
    throw new RefusalError('invalid', { message: unmade, cause });
  });
  if (!registrationInfo) throw new RefusalError('invalid', { message: unmade });
  const { credential } = registrationInfo;
  const publicKey = Buffer.from(credential.publicKey).toString('base64url');
  return { credentialId: credential.id, publicKey, counter: credential.counter, ...(transports && { transports }) };
}

/** @throws RefusalError `invalid` if passkeys cannot be for this origin */
function readOrigin(origin: string | undefined): URL {
  if (origin === undefined || !URL.canParse(origin))
    throw new RefusalError('invalid', { message: 'Passkeys are added on the page of Parley, in a browser.' });
  const url = new URL(origin);
  if (isIP(url.hostname.replace(/[[\]]/g, ''))) throw new RefusalError('invalid', { message: bareAddress });
  return url;
}

/** Says where a change can be signed. */
function describeElsewhere({ origin }: Passkey): string {
  return `Your passkeys are for ${origin}: change them there, or ask the operator to revoke them.`;
}

/** Identifies the log-in or token, so that what one began no other completes. */
function nameLogin({ credential: { tokenId = '', loginHash = '' } }: Holder): string {
  return hashOf([tokenId, loginHash].join(' '));
}

function nameOf(purpose: Purpose): string {
  return purpose === 'add' ? 'add' : `remove ${purpose.remove}`;
}

/** The library demands bytes that own their buffer. */
function copy(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}

/** Words what the store refused. */
function explain(error: unknown): never {
  if (!(error instanceof StoreError)) throw error;
  const { code, message } = error;
  if (code === 'passkey_gone') throw new RefusalError('step_up_required', { message: unsigned, cause: error });
  if (code === 'conflict') throw new RefusalError('invalid', { message, cause: error });
  if (code === 'quota') throw new RefusalError('rate_limited', { message, cause: error });
  throw error;
}
