import { command } from "./command.ts";
import { csvFlag, listOptions, outOption } from "./inputs.ts";
import { saveStream } from "./save-stream.ts";

export const auditExport = command({
  name: "audit export",
  about: "Export the audit log, oldest first: one JSON object per line, or CSV. The audit log records the export.",
  options: { csv: csvFlag, out: outOption, filter: listOptions.filter },
  async run({ csv, out, filter }, context) {
    const service = await context.service();
    const query = new URLSearchParams(
      filter.map((text): [string, string] => {
        const at = text.indexOf("=");
        return [`filter[${text.slice(0, at)}]`, text.slice(at + 1)];
      }),
    ).toString();
    await saveStream(context, out, () =>
      service.stream({
        method: "GET",
        path: `/api/audit/export${query === "" ? "" : `?${query}`}`,
        headers: { Accept: csv ? "text/csv" : "application/x-ndjson" },
      }),
    );
    return undefined;
  },
});
