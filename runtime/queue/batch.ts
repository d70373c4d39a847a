/** Does the work for one item, together with the work for other items. */
export type Batcher<Item, Outcome> = (item: Item) => Promise<Outcome>;

/**
 * Gathers items that arrive in one turn of the event loop, or while an earlier batch runs. A single item starts
 * immediately; under load batches grow, so items share statements, messages to threads and commits. An item waits at
 * most `waitMsMax` behind a slow batch (for example of RSA keys that must be made first): another batch then runs in
 * parallel, up to `inFlightMax`. With `waitMsMax` 0, batches start immediately up to that limit. `run` returns an
 * outcome for each item, in order. `onBatch` receives the size of each batch that begins.
 */
export function createBatcher<Item, Outcome>(
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  {
    itemsMax,
    inFlightMax,
    waitMsMax,
    onBatch,
  }: { itemsMax: number; inFlightMax: number; waitMsMax: number; onBatch?: (size: number) => void },
): Batcher<Item, Outcome> {
  interface Waiting {
    item: Item;
    resolve: (outcome: Outcome) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let inFlight = 0;
  let scheduled = false;
  let waitTimer: NodeJS.Timeout | undefined;

  async function work(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      if (outcomes.length !== batch.length) throw new Error("a batch did not give one outcome for each of its items");
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index] as Outcome);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function dispatch(): void {
    scheduled = false;
    clearTimeout(waitTimer);
    waitTimer = undefined;
    if (waiting.length > 0 && inFlight < inFlightMax) {
      const batch = waiting.slice(0, itemsMax);
      waiting = waiting.slice(itemsMax);
      inFlight++;
      onBatch?.(batch.length);
      void work(batch).finally(() => {
        inFlight--;
        if (waitMsMax > 0) dispatch();
        else if (waiting.length > 0) schedule();
      });
    }
    if (waiting.length > 0) schedule();
  }

  function schedule(): void {
    if (scheduled || inFlight >= inFlightMax) return;
    if (inFlight > 0 && waitMsMax > 0) {
      waitTimer ??= setTimeout(dispatch, waitMsMax);
      return;
    }
    // Items of this turn of the event loop share a batch.
    scheduled = true;
    setImmediate(dispatch);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}
