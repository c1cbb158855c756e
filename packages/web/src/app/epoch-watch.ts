/** Notices a new epoch: the server now has another log, because its store was restored or replaced (RPL2). */
export class EpochWatch {
  /** Epoch of the log on the page. */
  #known: string | undefined;

  /** Whether the page showed another log until now. @param epoch - undefined if the server has not reported it yet */
  isOther(epoch: string | undefined): boolean {
    const known = this.#known;
    this.#known = epoch ?? known;
    return known !== undefined && known !== this.#known;
  }
}
