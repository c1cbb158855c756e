/** Another epoch is another log: a store that was restored or replaced (RPL2). */
export class EpochWatch {
  /** Of the log that is on the page. */
  #known: string | undefined;

  /** Whether the page showed another log until now; undefined says that the server has not said. */
  isOther(epoch: string | undefined): boolean {
    const known = this.#known;
    this.#known = epoch ?? known;
    return known !== undefined && known !== this.#known;
  }
}
