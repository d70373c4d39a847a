import type { Child } from "hono/jsx";
import { contextOf } from "../http/request-context.ts";
import { secondIn } from "./parts/dates.ts";
import { HelpText } from "./parts/help-text.tsx";
import type { Language } from "../../domain/words/language.ts";
import { rememberedRealm, type PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { problems, type Problem } from "./problems.ts";
import { sendPage } from "./send-page.tsx";
import type { Texts } from "./texts/texts.ts";

export type { Problem } from "./problems.ts";

export interface ProblemOptions {
  /** The service's path where the user can start again. */
  startAgain?: string | undefined;
  /** The `Retry-After` of a 429 or 503. */
  retryAfterSeconds?: number | undefined;
  /** An additional remark. */
  note?: (texts: Texts, language: Language) => Child;
}

/**
 * Shows what went wrong in one sentence, what to do, and the request's id and time to quote. The page contains no text
 * from the request.
 */
export function sendProblem(
  page: Pick<PageRequest, "deps" | "request" | "response">,
  problem: Problem,
  { startAgain, retryAfterSeconds, note }: ProblemOptions = {},
): void {
  const { status } = problems[problem];
  const { response } = page;
  if (status === 503 || status === 429) response.setHeader("Retry-After", String(retryAfterSeconds ?? 2));
  const wait = status === 429 ? retryAfterSeconds : undefined;
  const realm = rememberedRealm(page);
  const reference = { id: contextOf(response).id, at: page.deps.clock.now(), realm };
  sendPage(page, {
    status,
    say: (texts, language) => ({
      title: texts.problems[problem].title,
      body: (
        <>
          <p>{texts.problems[problem].happened}</p>
          {note && <p>{note(texts, language)}</p>}
          <p>
            {wait === undefined ? (
              <HelpText text={texts.problems[problem].remedy} language={language} realm={realm} />
            ) : (
              texts.wait(minutesOf(wait))
            )}
          </p>
          {isOwnPath(startAgain) && (
            <a class="button" href={startAgain}>
              {texts.startAgain}
            </a>
          )}
          <Reference {...reference} texts={texts} language={language} />
        </>
      ),
    }),
  });
}

/** Converts a waiting time to whole minutes, rounded up, at least one. */
export const minutesOf = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));

/** Returns whether a path is local. Returns false for another site's address that looks like a path. */
const isOwnPath = (path: string | undefined): path is string => path !== undefined && /^\/(?![/\\])/.test(path);

interface ReferenceProps {
  id: string;
  at: Date;
  realm: PageRealm | undefined;
  texts: Texts;
  language: Language;
}

function Reference({ id, at, realm, texts, language }: ReferenceProps) {
  return (
    <div class="report">
      <p class="dim">
        <HelpText text={texts.quoteThis} language={language} realm={realm} />
      </p>
      <dl>
        <dt>{texts.reference}</dt>
        <dd>{id}</dd>
        <dt>{texts.time}</dt>
        <dd>
          <time datetime={at.toISOString()}>{secondIn(language, realm?.timeZone ?? "UTC", at)}</time>
        </dd>
      </dl>
    </div>
  );
}
