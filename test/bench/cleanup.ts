/** Work to undo at the end, whatever happens in between. */
export interface Cleanup {
  /** Registers something to undo. The returned function undoes it earlier; each is undone only once. */
  add(undo: () => Promise<void>): () => Promise<void>;
  /** Undoes everything that remains, the latest first. A failure does not prevent the others from being undone. */
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
