import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Effect, type EffectLog, readEffects } from '../../kill-nine/effects.ts';

/** Effects of tools in several concurrent processes: an effect with a key takes place once, whoever is first. */
export class EffectFolder implements Pick<EffectLog, 'run' | 'perform'> {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get all(): Effect[] {
    return readEffects(this.#file);
  }

  run(call: string, name: string): void {
    this.#write({ kind: 'run', call, name });
  }

  perform(call: string, name: string, key: string): void {
    try {
      writeFileSync(join(this.#folder, createHash('sha256').update(key).digest('hex')), '', { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
      throw error;
    }
    this.#write({ kind: 'effect', call, name, key });
  }

  #write(effect: Effect): void {
    appendFileSync(this.#file, `${JSON.stringify(effect)}\n`);
  }

  get #file(): string {
    return join(this.#folder, 'effects.jsonl');
  }
}
