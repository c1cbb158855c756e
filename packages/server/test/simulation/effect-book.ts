import type { Effect, EffectLog } from '../kill-nine/effects.ts';
import type { Owner } from './scheduler.ts';

/** Effects of tools on all nodes. A process that has ended does nothing. */
export class EffectBook {
  readonly all: Effect[] = [];
  readonly #keys = new Set<string>();

  of(owner: Owner): Pick<EffectLog, 'run' | 'perform'> {
    return {
      run: (call, name) => {
        if (!owner.isDead) this.all.push({ kind: 'run', call, name });
      },
      perform: (call, name, key) => {
        if (owner.isDead || this.#keys.has(key)) return;
        this.#keys.add(key);
        this.all.push({ kind: 'effect', call, name, key });
      },
    };
  }
}
