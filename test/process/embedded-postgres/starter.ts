// Starts the embedded server, reports the start or its failure in one line, and stops the server when the input ends.
import { startEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";

const options = JSON.parse(process.argv[2]!) as { dataDirectory: string };
const log = { info: () => undefined, error: () => undefined };

async function main(): Promise<void> {
  process.stdin.resume();
  const inputEnds = new Promise((done) => process.stdin.once("end", done));
  try {
    const postgres = await startEmbeddedPostgres({ ...options, log });
    process.stdout.write(`${JSON.stringify({ url: postgres.url, adopted: postgres.adopted })}\n`);
    await inputEnds;
    await postgres.stop();
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`);
    process.exitCode = 1;
    process.stdin.destroy();
  }
}

void main();
