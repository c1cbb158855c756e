/** Where a server is looked for, and what is known about it. */
export interface ExaminedAddress {
  /** What it is in the report. */
  readonly subject: string;
  /** Ends with a slash. */
  readonly base: string;
  /** The setting that names it, if one does. */
  readonly setting?: string;
  /** The data directory and the port of the server that should answer; undefined for a server elsewhere. */
  readonly own?: { readonly dataDir: string; readonly port: number };
  /** Whether people open the page at another address: then sockets are tried as programs open them. */
  readonly isForPrograms?: boolean;
  /** A token that may be sent there, if the server is the right one. */
  readonly token?: string | undefined;
}
