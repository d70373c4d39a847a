import type { operations } from "../../contract-types/api-types.ts";
import { CommandError } from "../../terminal/failure.ts";
import { answerOf, type ServiceClient } from "../service/service-client.ts";
import type { CreatedProfile } from "./profile.ts";

type Body = operations["createUserProfile"]["requestBody"]["content"]["application/json"];

/** How long one call waits for a worker, in seconds. */
const waitSeconds = 20;

/** Creates a profile and waits until a worker has made it, however long that takes. */
export async function issueProfile(
  { api }: ServiceClient,
  { userID, name: profileName, body }: { userID: string; name: string; body: Body },
): Promise<CreatedProfile> {
  const created = await answerOf(
    api.POST("/api/user/{userID}/profiles/{profileName}", { params: { path: { userID, profileName } }, body }),
  );
  if (created.code === 200) return created.data;

  const { id } = created.data;
  for (;;) {
    const params = { path: { id }, header: { Prefer: `wait=${waitSeconds}` } };
    const { state, error, profile } = (await answerOf(api.GET("/api/issuances/{id}", { params }))).data;
    if (state === "failed")
      throw new CommandError(error?.error ?? "issuance_failed", error?.error_description ?? "It failed.");
    if (state !== "issued") continue;
    if (profile === null)
      throw new CommandError(
        "insufficient_scope",
        "The profile was created, but its key is no longer shown to this application: the scope profile.create is missing.",
      );
    return profile as CreatedProfile;
  }
}
