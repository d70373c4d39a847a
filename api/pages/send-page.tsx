import type { Child } from "hono/jsx";
import type { PageRequest } from "./page-request.ts";

export interface PageContent {
  status: number;
  title: string;
  body: Child;
}

/** Sends a page in the common frame. */
export function sendPage({ response }: Pick<PageRequest, "deps" | "request" | "response">, content: PageContent): void {
  response.statusCode = content.status;
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(
    `<!doctype html>${(
      <html>
        <body>{content.body}</body>
      </html>
    ).toString()}`,
  );
}
