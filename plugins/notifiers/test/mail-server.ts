import type { AddressInfo } from 'node:net';
import { awaitFirst } from '@parleyhq/server/testing';
import { SMTPServer } from 'smtp-server';

/** A received mail. */
interface Mail {
  readonly to: readonly string[];
  readonly from: string;
  readonly text: string;
}

/** A real SMTP server that stores the mails it receives. */
export class MailServer {
  readonly mails: Mail[] = [];
  /** The error with which it rejects every mail, if set. */
  refusal: { readonly responseCode: number; readonly message: string } | undefined;
  readonly password = 'the password of this mailbox';
  readonly #smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onAuth: ({ username, password }, _, done) => {
      if (username === 'parley' && password === this.password) done(null, { user: username });
      else done(new Error(`no such user: ${username} ${password}`));
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (this.refusal) return done(Object.assign(new Error(this.refusal.message), this.refusal));
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        this.mails.push({ from, to: rcptTo.map(({ address }) => address), text: decode(Buffer.concat(chunks)) });
        return done();
      });
    },
  });

  async start(): Promise<void> {
    this.#smtp.on('error', () => {}); // a client that hangs up must not fail the test
    await new Promise<void>((resolve) => this.#smtp.listen(0, '127.0.0.1', resolve));
  }

  async remove(): Promise<void> {
    await new Promise<void>((resolve) => this.#smtp.close(resolve));
  }

  get address(): string {
    return `smtp://127.0.0.1:${(this.#smtp.server.address() as AddressInfo).port}`;
  }

  /** Resolves with the first matching mail once it arrives. */
  mail(accepts: (mail: Mail) => boolean = () => true): Promise<Mail> {
    return awaitFirst(this.mails, accepts);
  }
}

/** Decodes quoted-printable text (RFC 2045): removes soft line breaks and escapes. */
function decode(raw: Buffer): string {
  const text = raw.toString().replace(/\r\n/g, '\n');
  if (!/^content-transfer-encoding: quoted-printable$/im.test(text)) return text;
  const bytes = text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
