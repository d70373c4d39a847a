import { readFile } from "node:fs/promises";
import { z } from "zod";
import { certificateFormats } from "../../domain/certificate/format.ts";
import { deviceTypes, keyTypes } from "../../domain/certificate/device.ts";
import { SerialNumber } from "../../domain/ids.ts";
import { ProfileName } from "../../domain/certificate/profile.ts";
import { argument, flag, option } from "../../terminal/command.ts";
import { CommandError, interruption } from "../../terminal/failure.ts";
import { isSet, oneOf } from "../../terminal/inputs.ts";
import { withOutFile } from "../output/out-file.ts";
import { profileActivityText } from "../resources/activity.ts";
import { findUser } from "../resources/find-user.ts";
import { issueProfile } from "../resources/issue-profile.ts";
import { issuedProfileResource, profileResource, type Profile } from "../resources/profile.ts";
import { counted } from "../resources/texts.ts";
import { allRows } from "../service/pages.ts";
import { answerOf } from "../service/service-client.ts";
import { command, type CliCommand } from "./command.ts";
import { confirmingTotal, confirmTotalOption } from "./confirm-total.ts";
import { listOptions, reasonOption, userArgument } from "./inputs.ts";
import { asQuery } from "./query.ts";

export const profilesList = command({
  name: "profiles list",
  about:
    "List the active profiles of the realm, or all profiles of one person. --search looks inside the serial number.",
  options: {
    ...listOptions,
    user: option("USER", "only of this person, including revoked and expired ones", z.string().min(1).optional()),
  },
  async run({ csv, user, ...choice }, context) {
    const service = await context.service();
    const owner = user === undefined ? undefined : (await findUser(service, user)).userID;
    const rows = allRows<Profile>(choice, {
      page: async (query) => {
        if (owner === undefined)
          return answerOf(service.api.GET("/api/profiles", { params: { query: asQuery(query) } }));
        const path = { userID: owner };
        const page = await answerOf(
          service.api.GET("/api/user/{userID}/profiles", { params: { path, query: asQuery(query) } }),
        );
        // With a query the response is always a page.
        return page;
      },
      idOf: ({ serial }) => serial,
    });
    await context.out.list(profileResource, rows, { csv });
    return undefined;
  },
});

export const profilesCreate = command({
  name: "profiles create",
  about: "Create a profile for a person's device, in a file that only you can read.",
  arguments: {
    user: userArgument,
    name: argument("NAME", "the name of the profile", ProfileName),
  },
  options: {
    out: option("FILE", "the file to write; it must not exist", z.string().min(1)),
    deviceType: option("TYPE", deviceTypes.join(", "), oneOf(deviceTypes), { choices: deviceTypes }),
    format: option(
      "FORMAT",
      "pkcs12 (pfx), pem (crt), mobileconfig, eap-config, onc, networkmanager or iwd; default: pkcs12, pem with --csr",
      oneOf(certificateFormats).optional(),
      { choices: certificateFormats },
    ),
    keyType: option("KEY", `${keyTypes.join(", ")}; default: by the device`, oneOf(keyTypes).optional(), {
      choices: keyTypes,
    }),
    csr: option("FILE", "a PKCS#10 request in PEM; the private key stays where it is", z.string().min(1).optional()),
    allowAuth: flag("allow signing in to the API with the certificate", isSet),
  },
  async run({ user, name, out, deviceType, format, keyType, csr: csrFile, allowAuth }, context) {
    const csr = csrFile === undefined ? undefined : await readFile(csrFile, "utf8");
    const service = await context.service();
    const { userID } = await findUser(service, user);
    const issued = await withOutFile(out, async (file) => {
      const { data, certificate, privateKey, ...profile } = await issueProfile(service, {
        userID,
        name,
        body: {
          deviceType,
          format: format ?? (csr === undefined ? "pkcs12" : "pem"),
          allowAuth,
          ...(keyType === undefined ? {} : { keyType }),
          ...(csr === undefined ? {} : { csr }),
        },
      }).catch((error: unknown) => {
        if (!context.io.interrupted.aborted) throw error;
        throw interruption(`Interrupted. The profile may still exist: realmpass profiles list --user ${userID}`);
      });
      try {
        await file.writeFile(
          data === undefined ? `${certificate ?? ""}${privateKey ?? ""}` : Buffer.from(data, "base64"),
        );
      } catch (error) {
        const sentence = `Profile ${profile.serial} was issued but could not be written. Revoke it: realmpass profiles revoke ${profile.serial}`;
        throw new CommandError("not_written", sentence, { cause: error });
      }
      return { ...profile, file: out };
    });
    await context.out.one(issuedProfileResource, issued);
    return undefined;
  },
});

export const profilesActivity = command({
  name: "profiles activity",
  about: "Show why a profile's device may not be on the network, and what is known about the profile.",
  arguments: { serial: argument("SERIAL", "its serial number", SerialNumber) },
  options: {},
  async run({ serial }, context) {
    const { api } = await context.service();
    const { data } = await answerOf(api.GET("/api/profiles/{serial}/activity", { params: { path: { serial } } }));
    await context.out.answer(data, profileActivityText(data));
    return undefined;
  },
});

export const profilesRevoke = command({
  name: "profiles revoke",
  about: "Revoke profiles of people permanently: all of them or, when one is unknown, none.",
  arguments: {
    serials: argument("SERIAL…", "their serial numbers", z.array(SerialNumber).min(1, "is required").max(1_000), {
      many: true,
    }),
  },
  options: { reason: reasonOption, confirmTotal: confirmTotalOption },
  async run({ serials, reason, confirmTotal }, context) {
    const { api } = await context.service();
    const [serial = ""] = serials;
    if (serials.length === 1) {
      const profile = (await answerOf(api.GET("/api/profiles/{serial}", { params: { path: { serial } } }))).data;
      await context.confirm(`“${profile.name}” of person ${profile.owner} will be revoked permanently.`, profile.name);
    } else {
      await context.confirm(
        `${counted(serials.length, "profile")} will be revoked permanently.`,
        String(serials.length),
      );
    }
    const body = { profiles: [...serials], ...(reason === undefined ? {} : { reason }) };
    await confirmingTotal(
      context,
      confirmTotal,
    )((agreed) => answerOf(api.DELETE("/api/profiles/bulk", { body: { ...body, ...agreed } })));
    context.notify(`${counted(serials.length, "profile")} revoked.`);
    if (context.options.json) await context.out.answer({ revoked: serials }, "");
    return undefined;
  },
});

export const profileCommands: readonly CliCommand[] = [profilesList, profilesActivity, profilesCreate, profilesRevoke];
