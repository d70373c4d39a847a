import { extname } from "node:path";
import { flag } from "../../terminal/command.ts";
import { usageError } from "../../terminal/failure.ts";
import { isSet } from "../../terminal/inputs.ts";
import { askForJob } from "../bulk-job/job-updates.ts";
import { resultResource, resultRows, type ResultRow } from "../bulk-job/result-rows.ts";
import { answerOf } from "../service/service-client.ts";
import { command } from "./command.ts";
import { csvFlag, jobArgument, outOption } from "./inputs.ts";
import { saveStream } from "./save-stream.ts";

const typeOfExtension: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".json": "application/json",
  ".ndjson": "application/x-ndjson",
  ".jsonl": "application/x-ndjson",
};

export const jobsResults = command({
  name: "jobs results",
  about:
    "Show the result of each row. With --out, write the whole results with the keys of issued profiles as .csv, .json or .ndjson; standard output has no keys.",
  arguments: { job: jobArgument },
  options: { out: outOption, failed: flag("only the failed rows", isSet), csv: csvFlag },
  async run({ job: id, out, failed, csv }, context) {
    const service = await context.service();
    const results = (type: string): Promise<Response> =>
      service.stream({
        method: "GET",
        path: `/api/jobs/${id}/results${failed ? "?status=failed" : ""}`,
        headers: { Accept: type },
      });

    if (out !== undefined) {
      const type = typeOfExtension[extname(out).toLowerCase()];
      if (type === undefined) throw usageError("--out has to end in .csv, .json or .ndjson.");
      await saveStream(context, out, () => results(type));
      return undefined;
    }
    const rows = resultRows(await results("application/x-ndjson"));
    const first = await rows.next();
    const resource = resultResource(first.done === true ? {} : first.value);
    await context.out.list(resource, withFirst(first, rows), { csv });
    return undefined;
  },
});

async function* withFirst(
  first: IteratorResult<ResultRow, unknown>,
  rows: AsyncGenerator<ResultRow>,
): AsyncGenerator<ResultRow> {
  if (first.done === true) return;
  yield first.value;
  yield* rows;
}

export const jobsErase = command({
  name: "jobs erase",
  about: "Erase the keys of the profiles that a job issued, before the service does so by itself.",
  arguments: { job: jobArgument },
  options: {},
  async run({ job: id }, context) {
    const service = await context.service();
    const { changed } = await askForJob(service, id);
    await context.confirm(
      `This job changed ${changed} rows. The keys of the profiles that it issued will be erased permanently.`,
      String(changed),
    );
    await answerOf(service.api.DELETE("/api/jobs/{id}/results", { params: { path: { id } } }));
    context.notify("Erased.");
    if (context.options.json) await context.out.answer({ erased: id }, "");
    return undefined;
  },
});
