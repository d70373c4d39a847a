import { z } from "zod";
import { flag, option } from "../terminal/command.ts";
import { exitCodes, type ExitCode } from "../terminal/exit-codes.ts";
import { isSet } from "../terminal/inputs.ts";
import { plainJson } from "../terminal/output.ts";
import { runProgram, type Program } from "../terminal/program.ts";
import { applicationCreate } from "./commands/realm/application-create.ts";
import { auditExport } from "./commands/audit/export.ts";
import { auditHead } from "./commands/audit/head.ts";
import { auditVerify } from "./commands/audit/verify.ts";
import type { Answer } from "./commands/command.ts";
import { config } from "./commands/config.ts";
import { crlPublish } from "./commands/issuer/crl-publish.ts";
import { crlRevokeSerial } from "./commands/issuer/crl-revoke-serial.ts";
import { databaseRestored } from "./commands/restore/database-restored.ts";
import { doctor } from "./commands/doctor.ts";
import { guestAccountCreate } from "./commands/realm/guest-account-create.ts";
import { issuerCreate } from "./commands/issuer/create.ts";
import { issuerList } from "./commands/issuer/list.ts";
import { issuerReencrypt } from "./commands/issuer/reencrypt.ts";
import { issuerRotate } from "./commands/issuer/rotate.ts";
import { masterKeyDiscard } from "./commands/secrets/master-key-discard.ts";
import { masterKeyReseal } from "./commands/secrets/master-key-reseal.ts";
import { migrate } from "./commands/migrate.ts";
import { realmCreate } from "./commands/realm/create.ts";
import { realmList } from "./commands/realm/list.ts";
import { realmSet } from "./commands/realm/set.ts";
import { revocationsReplay } from "./commands/restore/revocations-replay.ts";
import { rootRewrap } from "./commands/issuer/root-rewrap.ts";
import { rootSignCrl } from "./commands/issuer/root-sign-crl.ts";
import { secretsAdopt } from "./commands/secrets/adopt.ts";
import { secretsCreate } from "./commands/secrets/create.ts";
import { secretsForget } from "./commands/secrets/forget.ts";
import { userCreate } from "./commands/realm/user-create.ts";
import { userRoles } from "./commands/realm/user-roles.ts";
import { userSignInLink } from "./commands/realm/user-sign-in-link.ts";
import { createContext, type Context, type OperatorIo } from "./context/context.ts";
import { describeFailure } from "./context/failure.ts";

const options = {
  json: flag("print one JSON object", isSet),
  realm: option("name", "the realm; default: the only one", z.string().optional()),
};

const program: Program<Context, Answer, typeof options> = {
  name: "operator",
  about: "Realms, issuers, people and applications of this Realmpass.",
  options,
  commands: [
    migrate,
    realmCreate,
    realmList,
    realmSet,
    issuerCreate,
    issuerList,
    issuerRotate,
    issuerReencrypt,
    rootRewrap,
    rootSignCrl,
    userCreate,
    userRoles,
    userSignInLink,
    applicationCreate,
    guestAccountCreate,
    auditHead,
    auditVerify,
    auditExport,
    crlPublish,
    crlRevokeSerial,
    databaseRestored,
    revocationsReplay,
    secretsCreate,
    secretsAdopt,
    secretsForget,
    masterKeyReseal,
    masterKeyDiscard,
    doctor,
    config,
  ],
  groups: {
    realm: "Organisations.",
    issuer: "Issuing CAs of a realm.",
    user: "People who sign in locally.",
    application: "OAuth clients.",
    "guest-account": "Time-limited accounts for guests.",
    audit: "The audit log's chains.",
    crl: "Certificate revocation lists.",
    database: "The database after a restore.",
    revocations: "Revocations that a restore has lost.",
    root: "Roots, whose keys are kept offline.",
    secrets: "The secrets of this installation.",
    "master-key": "The key that seals what the service reads again.",
  },
};

/**
 * Runs one command and returns the exit code: 0, 1 (it failed) or 2 (wrong usage). With `--json` standard output gets
 * exactly one JSON object, which is `{"error","error_description"}` if the command failed; otherwise it gets a few
 * words for people.
 */
export const runOperator = (argv: readonly string[], io: OperatorIo): Promise<ExitCode> =>
  runProgram(program, argv, {
    writeOut: (text) => {
      io.writeOut(text);
    },
    writeError: (text) => {
      io.writeError(text);
    },
    async execute(command, { json, realm }) {
      const context = createContext(io, realm);
      const answer = await command(context).finally(() => context.close());
      io.writeOut(`${json ? plainJson(answer.json) : answer.text}\n`);
      return answer.failed === true ? exitCodes.error : exitCodes.done;
    },
    failureOf: describeFailure,
    failureJson: ({ code, message }) => ({ error: code, error_description: message }),
  });
