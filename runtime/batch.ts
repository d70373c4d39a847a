/** Work for one item that is done together with others'. */
export type Batcher<Item, Outcome> = (item: Item) => Promise<Outcome>;

/**
 * Gathers what arrives while an earlier batch runs. A lone item starts at once; under load batches grow by themselves, so
 * that statements, messages to threads and commits are shared. Behind a batch that takes longer than `waitMsMax` (RSA
 * keys that have to be made first) nobody waits: others run beside it, up to `inFlightMax`.
 */
export function createBatcher<Item, Outcome>(
  run: (items: readonly Item[]) => Promise<ReadonlyMap<Item, Outcome>>,
  { itemsMax, inFlightMax, waitMsMax }: { itemsMax: number; inFlightMax: number; waitMsMax: number },
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
      for (const { item, resolve, reject } of batch) {
        const outcome = outcomes.get(item);
        if (outcome === undefined) reject(new Error("a batch gave no outcome for one of its items"));
        else resolve(outcome);
      }
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
      void work(batch).finally(() => {
        inFlight--;
        dispatch();
      });
    }
    if (waiting.length > 0) waitForRoom();
  }

  function waitForRoom(): void {
    if (inFlight < inFlightMax) waitTimer ??= setTimeout(dispatch, waitMsMax);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (inFlight > 0) {
        waitForRoom();
        return;
      }
      if (scheduled) return;
      // What arrives in this turn of the event loop goes together.
      scheduled = true;
      setImmediate(dispatch);
    });
}
