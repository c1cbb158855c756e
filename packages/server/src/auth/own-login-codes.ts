import type { LoginCodeStore } from '@parleyhq/core';

/** Login codes in memory, for a server that shares them with no other node: they end with its process. */
export class OwnLoginCodes implements LoginCodeStore {
  readonly #hashes = new Set<string>();

  async add(hash: string): Promise<void> {
    this.#hashes.add(hash);
  }

  async has(hash: string): Promise<boolean> {
    return this.#hashes.has(hash);
  }

  async remove(hash: string): Promise<boolean> {
    return this.#hashes.delete(hash);
  }
}
