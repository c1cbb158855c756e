import type { Json } from '@parleyhq/core';

/**
 * A value that each node has of its own, and that all nodes publish to each other (OPS4). It is published as JSON within a second;
 * a server without other nodes knows no other values.
 */
export class Replicated<Value> {
  /** Its member of `nodes.details` in the database, which nodes of several releases read. */
  readonly member: string;
  readonly #read: () => Value;
  readonly #onChange: (before: readonly Value[]) => void;
  #others: ReadonlyMap<string, Value> = new Map();

  /**
   * @param read - returns the value of this node
   * @param onChange - receives the previous values of the other nodes after one of them changed
   */
  constructor(member: string, read: () => Value, onChange: (before: readonly Value[]) => void = () => undefined) {
    this.member = member;
    this.#read = read;
    this.#onChange = onChange;
  }

  /** The value of this node as JSON. */
  get json(): Json {
    return JSON.parse(JSON.stringify(this.#read())) as Json;
  }

  /** The values of the other nodes. */
  get others(): readonly Value[] {
    return [...this.#others.values()];
  }

  /** Returns the value of another node; undefined if it is not known. */
  at(node: string): Value | undefined {
    return this.#others.get(node);
  }

  /** Receives the values of the other nodes by node, in the form that their `json` has. */
  update(values: ReadonlyMap<string, Json>): void {
    const before = this.others;
    this.#others = values as ReadonlyMap<string, unknown> as ReadonlyMap<string, Value>;
    if (JSON.stringify(this.others) !== JSON.stringify(before)) this.#onChange(before);
  }
}
