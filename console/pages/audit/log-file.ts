import { send } from "../../api/api-client.ts";
import { viewerQuery } from "../../list/csv-reader.ts";

const types = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;
export type LogForm = keyof typeof types;
export const logForms = Object.keys(types) as LogForm[];

/**
 * Returns the log as a file, from the service's stream. The browser stores the received part, on disk if it is large.
 */
export async function receiveLog(
  form: LogForm,
  {
    filter,
    search,
    signal,
    onProgress,
  }: {
    filter: Readonly<Record<string, string>>;
    search: string;
    signal: AbortSignal;
    onProgress: (bytes: number) => void;
  },
): Promise<Blob> {
  const query = new URLSearchParams(Object.entries(filter).map(([key, value]) => [`filter[${key}]`, value]));
  if (search !== "") query.set("search", search);
  if (form === "csv") for (const [name, value] of Object.entries(viewerQuery())) query.set(name, value);
  const response = await send(`/api/audit/export?${query.toString()}`, { headers: { Accept: types[form] }, signal });
  let received = 0;
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        received += chunk.byteLength;
        onProgress(received);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { headers: { "Content-Type": types[form] } }).blob();
}
