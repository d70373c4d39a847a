import { ApiError, consoleHeader, idempotent } from "../../../api/api-client.ts";
import { consolePath } from "../../../api/page-settings.ts";
import { signInAgain } from "../../../api/sign-in.ts";
import { jobNameMax } from "../../../../domain/bulk-job/job.ts";
import type { Chosen } from "./file-type.ts";
import type { Job, JobKind } from "../job.ts";

interface Upload {
  kind: JobKind;
  chosen: Chosen;
  /** Called with the share of the file that has been sent, from 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/**
 * Sends a file to the service for a check. Throws {@link ApiError}, or an AbortError if the user stopped the upload.
 */
export function uploadRows({ kind, chosen, onProgress, signal }: Upload): Promise<Job> {
  return new Promise((resolve, reject) => {
    // `fetch` does not report how much has been sent.
    const request = new XMLHttpRequest();
    request.open("POST", `${consolePath}/api/jobs/${kind}?${queryOf(chosen)}`);
    const headers = { ...consoleHeader, ...idempotent(), Accept: "application/json", "Content-Type": chosen.type };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => {
      onProgress(total === 0 ? 1 : loaded / total);
    };
    request.onload = () => {
      const answer = readAnswer(request);
      if (answer instanceof ApiError) {
        if (answer.status === 401) signInAgain();
        reject(answer);
      } else resolve(answer);
    };
    request.onerror = () => {
      reject(new ApiError("offline", "offline"));
    };
    request.onabort = () => {
      reject(new DOMException("called off", "AbortError"));
    };
    signal.addEventListener("abort", () => {
      request.abort();
    });
    request.send(chosen.body);
  });
}

const queryOf = ({ name, rowOffset, columns, withoutHeader }: Chosen): string =>
  new URLSearchParams({
    dryRun: "true",
    ...(name !== undefined && { name: name.slice(0, jobNameMax) }),
    ...(rowOffset !== undefined && { rowOffset: String(rowOffset) }),
    ...(withoutHeader === true && { header: "none" }),
    ...(columns !== undefined && { unknownColumns: "ignore" }),
    ...Object.fromEntries(Object.entries(columns ?? {}).map(([heading, column]) => [`columns[${heading}]`, column])),
  }).toString();

interface AnswerBody {
  data?: Job;
  error?: string;
  error_description?: string;
  request_id?: string;
  fields?: { path: string; reason: string }[];
}

function readAnswer({ status, statusText, responseText }: XMLHttpRequest): Job | ApiError {
  let body: AnswerBody = {};
  try {
    body = JSON.parse(responseText) as AnswerBody;
  } catch {
    // A proxy or gateway responded, not the service.
  }
  if (status >= 200 && status < 300 && body.data !== undefined) return body.data;
  return new ApiError(body.error ?? "unexpected_answer", body.error_description ?? statusText, {
    status,
    fields: body.fields ?? [],
    requestId: body.request_id,
  });
}
