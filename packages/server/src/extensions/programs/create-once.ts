import { OneByOne, toRefusal } from '@parleyhq/runtime';

/** Creates what may be requested several times at once, here and at other nodes: later requests find what the first stored. */
export class CreateOnce {
  readonly #oneByOne = new OneByOne();

  /** @throws what `find` and `create` throw */
  run<Value>(key: string, find: () => Promise<Value | undefined>, create: () => Promise<Value>): Promise<Value> {
    return this.#oneByOne.run(key, async () => {
      const known = await find();
      if (known !== undefined) return known;
      try {
        return await create();
      } catch (error) {
        const first = toRefusal(error).code === 'retry_later' ? await find() : undefined; // another node was faster
        if (first === undefined) throw error;
        return first;
      }
    });
  }
}
