import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** An effect of a tool. `run`: code ran. `effect`: an external service with idempotency keys did its work, once a key. */
export interface Effect {
  readonly kind: 'run' | 'effect';
  readonly call: string;
  readonly name: string;
  readonly key?: string;
}

/** The effects of all victims, in a file that outlives them. */
export class EffectLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  run(call: string, name: string): void {
    this.#write({ kind: 'run', call, name });
  }

  perform(call: string, name: string, key: string): void {
    const isKnown = readEffects(this.#file).some((effect) => effect.key === key);
    if (!isKnown) this.#write({ kind: 'effect', call, name, key });
  }

  #write(effect: Effect): void {
    appendFileSync(this.#file, `${JSON.stringify(effect)}\n`);
  }
}

export function readEffects(file: string): Effect[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Effect);
}
