import type { AddressInfo } from 'node:net';
import { awaitFirst } from '@parleyhq/server/testing';
import { SMTPServer } from 'smtp-server';

/** A mail as it came. */
interface Mail {
  readonly to: readonly string[];
  readonly from: string;
  readonly text: string;
}

/** A real SMTP server that keeps what it is sent. */
export class MailServer {
  readonly mails: Mail[] = [];
  /** The refusal of every mail, if there is one. */
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
    this.#smtp.on('error', () => {}); // a client that hangs up is no fault of the test
    await new Promise<void>((resolve) => this.#smtp.listen(0, '127.0.0.1', resolve));
  }

  async remove(): Promise<void> {
    await new Promise<void>((resolve) => this.#smtp.close(resolve));
  }

  get address(): string {
    return `smtp://127.0.0.1:${(this.#smtp.server.address() as AddressInfo).port}`;
  }

  /** The first that fits, as soon as it is there. */
  mail(accepts: (mail: Mail) => boolean = () => true): Promise<Mail> {
    return awaitFirst(this.mails, accepts);
  }
}

/** Its text without the lines' soft ends and escapes (RFC 2045, quoted-printable). */
function decode(raw: Buffer): string {
  const text = raw.toString().replace(/\r\n/g, '\n');
  if (!/^content-transfer-encoding: quoted-printable$/im.test(text)) return text;
  const bytes = text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
