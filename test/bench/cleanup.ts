/** Work to undo at the end, whatever happens in between. */
export interface Cleanup {
  /**
   * Registers a function that undoes something. The returned function undoes it earlier. Each `undo` runs only once.
   */
  add(undo: () => Promise<void>): () => Promise<void>;
  /** Runs the remaining functions, the latest first; if one fails, the remaining functions still run. */
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const steps: (() => Promise<void>)[] = [];
  return {
    add(undo) {
      let undone: Promise<void> | undefined;
      const once = (): Promise<void> => (undone ??= undo());
      steps.push(once);
      return once;
    },
    async run() {
      for (const step of steps.splice(0).reverse()) {
        await step().catch((error: unknown) => process.stderr.write(`could not clean up: ${String(error)}\n`));
      }
    },
  };
}
