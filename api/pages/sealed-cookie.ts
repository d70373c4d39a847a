import type { Request, Response } from "express";
import type { z } from "zod";
import { MasterKeyError, openUnderMasterKey, sealUnderMasterKey } from "../../runtime/keys/master-key.ts";
import type { Deps } from "../contract/deps.ts";
import { fitsCookie, readCookie, setCookie, type CookieName } from "./cookies.ts";

type SealedDeps = Pick<Deps, "masterKeys" | "settings">;

const contextOf = (name: CookieName): string => `cookie ${name}`;

/**
 * Sets a cookie that only the service can read. Returns false and sets no cookie if the sealed content is too long for
 * a browser.
 */
export function setSealedCookie(
  deps: SealedDeps,
  response: Response,
  { name, content, maxAgeSeconds }: { name: CookieName; content: object; maxAgeSeconds: number },
): boolean {
  const sealed = sealUnderMasterKey(deps.masterKeys, Buffer.from(JSON.stringify(content)), contextOf(name));
  const value = sealed.toString("base64url");
  if (!fitsCookie(name, value)) return false;
  setCookie(deps, response, { name, value, maxAgeSeconds });
  return true;
}

/**
 * Returns the content of a cookie; undefined if there is no cookie, if it cannot be opened, or if another release wrote
 * it in another form.
 */
export function readSealedCookie<Content>(
  deps: SealedDeps,
  request: Pick<Request, "headers">,
  { name, content }: { name: CookieName; content: z.ZodType<Content> },
): Content | undefined {
  const value = readCookie(deps, request, name);
  if (value === undefined) return undefined;
  try {
    const opened = openUnderMasterKey(deps.masterKeys, Buffer.from(value, "base64url"), contextOf(name));
    return content.safeParse(JSON.parse(opened.toString("utf8"))).data;
  } catch (error) {
    if (error instanceof MasterKeyError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
