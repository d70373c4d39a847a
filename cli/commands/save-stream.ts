import { CommandError, interruption } from "../../terminal/failure.ts";
import type { Context } from "../context/context.ts";
import { withOutFile } from "../output/out-file.ts";

/** Writes a response's body, as it arrives, to a new file or, if there is no file, to standard output. */
export async function saveStream(
  context: Pick<Context, "out" | "io" | "notify">,
  file: string | undefined,
  request: () => Promise<Response>,
): Promise<void> {
  if (file === undefined) {
    await eachChunk(context, await request(), (chunk) => context.out.raw(chunk));
    return;
  }
  await withOutFile(file, async (handle) => {
    await eachChunk(context, await request(), async (chunk) => {
      await handle.writeFile(chunk);
    });
  });
  context.notify(`Written to ${file}.`);
}

async function eachChunk(
  { io: { interrupted } }: Pick<Context, "io">,
  { body }: Response,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  if (body === null) return;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  for (;;) {
    const next = await reader.read().catch((error: unknown) => {
      if (interrupted.aborted) throw interruption();
      throw new CommandError("broken_off", "The response broke off; it is incomplete.", { cause: error });
    });
    if (next.done) return;
    await write(next.value);
  }
}
