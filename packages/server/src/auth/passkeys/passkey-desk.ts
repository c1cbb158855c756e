import { createHash, randomBytes } from 'node:crypto';
import {
  type Assertion,
  authorityOf,
  type Credential,
  maxPasskeys,
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
import { SpentTickets, type TimedTicket } from '../spent-tickets.ts';
import type { Tickets } from '../ticket.ts';
import { findFrameFault, readClientData } from './client-data.ts';
import { hasHostName } from './host-name.ts';
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
  /** Origins of the pages that may frame ours (TRN3). */
  readonly frameAncestors: readonly string[];
  readonly now: () => number;
}

const completed =
  'This change was completed already: look at your passkeys, and begin again if it is not what you wanted.';
const expired = 'This took too long, or was begun with another log-in: begin again.';
const unsigned = 'You have a passkey already: sign this change with it. If it is lost, ask the operator to revoke it.';
const unmade = 'The new passkey could not be verified: try again.';
const full = `You have ${maxPasskeys} passkeys already, and nobody may have more: remove one first.`;
const removed = 'You have no such passkey: it may have been removed already.';
const bareAddress = 'Passkeys need a host name, not an IP address.';

/**
 * Adds and removes passkeys of people (SIGN2). It takes a log-in that showed its token lately and, from the second one on, the
 * signature of a passkey that the person already has: otherwise a stolen token could bring its own.
 */
export class PasskeyDesk {
  readonly #options: PasskeyDeskOptions;
  readonly #spent: SpentTickets;

  constructor(options: PasskeyDeskOptions) {
    this.#options = options;
    this.#spent = new SpentTickets(options.now);
  }

  list(principal: Principal): Promise<readonly Passkey[]> {
    return this.#options.passkeys.list(ownerOf(principal));
  }

  /**
   * Begins a change, or refuses what would be refused in the end, so that nobody makes a passkey or signs in vain.
   * @param origin - of the page that begins it
   * @throws RefusalError `login_again`, `invalid`, `not_found`, `step_up_required`
   */
  async begin(holder: Holder, purpose: Purpose, origin: string | undefined): Promise<Begun> {
    await this.#requireFresh(holder);
    const site = readOrigin(origin);
    const own = await this.list(holder.principal);
    requirePossible(purpose, own);
    const usable = requireUsable(own, site);
    const challenge = randomBytes(32);
    const ticket = this.#signTicket(holder, purpose, { origin: site.origin, challenge });
    return {
      ticket,
      ...(purpose === 'add' && { creation: await makeCreation(holder, own, { site, challenge }) }),
      ...(usable.length > 0 && { signing: await makeSigning(usable, { site, challenge }) }),
    };
  }

  /** Completes the addition of a passkey. @throws RefusalError */
  async add(
    holder: Holder,
    given: { ticket: string; name: string; registration: Registration; assertion?: Assertion | undefined },
  ): Promise<Passkey> {
    const ticket = this.#readTicket(holder, 'add', given.ticket);
    const { challenge, origin } = ticket;
    const person = ownerOf(holder.principal);
    const use = given.assertion && (await this.#verify(person, given.assertion, challenge));
    const passkey: Passkey = {
      ...{ id: newId(), person, name: given.name, origin },
      ...(await this.#verifyNew(given.registration, { challenge, origin })),
      createdAt: new Date(this.#options.now()).toISOString(),
    };
    this.#spend(ticket);
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
    const ticket = this.#readTicket(holder, { remove: id }, given.ticket);
    const person = ownerOf(holder.principal);
    const use = await this.#verify(person, given.assertion, ticket.challenge);
    this.#spend(ticket);
    return this.#options.passkeys.remove({ id, person }, { authority: this.#authorityOf(holder), use }).catch(explain);
  }

  /** @throws RefusalError `login_again` */
  async #requireFresh({ credential }: Holder): Promise<void> {
    const { auth, freshLoginMs, now } = this.#options;
    const login = freshLoginMs > 0 ? await auth.findLogin(credential) : undefined;
    if (!login) return; // whoever shows the token itself
    const isFresh = Date.parse(login.provedAt ?? login.createdAt ?? '') >= now() - freshLoginMs; // never for an old one's NaN
    if (!isFresh) throw new RefusalError('login_again');
  }

  #authorityOf({ credential }: Holder) {
    const { now, freshLoginMs } = this.#options;
    return authorityOf(credential, now(), freshLoginMs);
  }

  #signTicket(holder: Holder, purpose: Purpose, { origin, challenge }: { origin: string; challenge: Buffer }): string {
    const { tickets, now } = this.#options;
    return tickets.sign('passkey', {
      ...{ person: ownerOf(holder.principal), login: nameLogin(holder), purpose: nameOf(purpose), origin },
      ...{ challenge: challenge.toString('base64url'), until: now() + ticketMs },
    });
  }

  /** @throws RefusalError `invalid` */
  #readTicket(holder: Holder, purpose: Purpose, text: string) {
    const ticket = this.#options.tickets.read('passkey', text);
    const isOwn = ticket?.person === ownerOf(holder.principal) && ticket.login === nameLogin(holder);
    if (!ticket || !isOwn || ticket.purpose !== nameOf(purpose) || ticket.until <= this.#options.now())
      throw new RefusalError('invalid', { message: expired });
    return ticket;
  }

  /**
   * Uses a ticket, just before its change is stored: otherwise one signature would add several passkeys. This node alone knows of
   * it, for the minutes that the ticket lasts.
   * @throws RefusalError `invalid`
   */
  #spend(ticket: TimedTicket): void {
    if (!this.#spent.spend(ticket)) throw new RefusalError('invalid', { message: completed });
  }

  /** @throws RefusalError `step_up_required` */
  async #verify(person: string, assertion: Assertion, challenge: string): Promise<PasskeyUse> {
    const { passkeys, now, frameAncestors } = this.#options;
    const passkey = await passkeys.find(assertion.id);
    if (passkey?.person !== person) throw new RefusalError('step_up_required', { message: unsigned });
    const found = await verifySignature(assertion, passkey, challenge, frameAncestors);
    if ('fault' in found) throw new RefusalError('step_up_required', { message: found.fault });
    return { credentialId: passkey.credentialId, person, counter: found.counter, now: now() };
  }

  /** @throws RefusalError `invalid` */
  #verifyNew(registration: Registration, asked: { challenge: string; origin: string }): Promise<MadePasskey> {
    const client = readClientData(registration.response.clientDataJSON);
    const fault = findFrameFault(client, this.#options.frameAncestors);
    if (fault !== undefined) throw new RefusalError('invalid', { message: fault });
    return verifyNew(registration, asked);
  }
}

/** The page on which passkeys are changed: they are for its host name. */
interface Site {
  readonly origin: string;
  readonly rpID: string;
}

interface Asked {
  readonly site: Site;
  readonly challenge: Buffer;
}

/** Returns how to make a passkey that the person does not have yet. */
async function makeCreation(
  { principal }: Holder,
  own: readonly Passkey[],
  { site: { rpID }, challenge }: Asked,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadWebAuthn();
  const person = ownerOf(principal);
  return generateRegistrationOptions({
    ...{ rpName: 'Parley', rpID, challenge: copy(challenge), attestationType: 'none' },
    userName: principal.name ?? person,
    userID: copy(createHash('sha256').update(person).digest()), // the same for all passkeys of a person, and says nothing
    excludeCredentials: own.map(toCredential),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
}

/** Returns what one of these passkeys must sign. */
async function makeSigning(
  usable: readonly Passkey[],
  { site: { rpID }, challenge }: Asked,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const allowCredentials = usable.map(toCredential);
  return generateAuthenticationOptions({
    ...{ rpID, challenge: copy(challenge), allowCredentials, userVerification: 'required' },
  });
}

function toCredential({ credentialId: id, transports }: Passkey) {
  return { id, ...(transports && { transports: [...transports] }) };
}

/** What its registration states about a new passkey. */
type MadePasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>;

async function verifyNew(
  { id, response }: Registration,
  { challenge: expectedChallenge, origin: expectedOrigin }: { challenge: string; origin: string },
): Promise<MadePasskey> {
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
function readOrigin(origin: string | undefined): Site {
  if (origin === undefined || !URL.canParse(origin))
    throw new RefusalError('invalid', { message: 'Passkeys are added on the page of Parley, in a browser.' });
  const url = new URL(origin);
  if (!hasHostName(url)) throw new RefusalError('invalid', { message: bareAddress });
  return { origin, rpID: url.hostname };
}

/** @throws RefusalError `invalid` if the person has all passkeys they may have, `not_found` if not the one to remove */
function requirePossible(purpose: Purpose, own: readonly Passkey[]): void {
  if (purpose === 'add') {
    if (own.length >= maxPasskeys) throw new RefusalError('invalid', { message: full });
  } else if (!own.some(({ id }) => id === purpose.remove)) throw new RefusalError('not_found', { message: removed });
}

/** Returns the passkeys that can sign at a site. @throws RefusalError `step_up_required` if all are for other ones */
function requireUsable(own: readonly Passkey[], { origin }: Site): readonly Passkey[] {
  const usable = own.filter((passkey) => passkey.origin === origin);
  const [first] = own;
  if (first && usable.length === 0) throw new RefusalError('step_up_required', { message: describeElsewhere(first) });
  return usable;
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
  if (code === 'quota') throw new RefusalError('invalid', { message: full, cause: error });
  throw error;
}
