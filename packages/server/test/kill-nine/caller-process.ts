import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { CallReply, OutsideCall } from './outside-call.ts';

/** A running caller. */
export class CallerProcess {
  readonly #child: ChildProcess;
  /** The reply that it received; undefined if it was killed. */
  readonly told: Promise<CallReply | undefined>;

  constructor(program: string, portFile: string, call: OutsideCall) {
    const args = [program, portFile, JSON.stringify(call)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    this.told = text(child.stdout).then((said) => (said === '' ? undefined : JSON.parse(said)));
  }

  begin(): void {
    this.#child.stdin?.write('\n');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
