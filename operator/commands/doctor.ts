import { command } from "./command.ts";
import type { Check } from "../doctor/check.ts";

export const doctor = command({
  name: "doctor",
  about: "Checks everything that issuing needs, and shows what to do about each fault.",
  options: {},
  async run(_, context) {
    // Loaded only here, because X.509 and BullMQ are large: other commands start without them.
    const { checkAll } = await import("../doctor/checks.ts");
    const checks = await checkAll(context);
    const ok = checks.every((check) => check.ok);
    return { json: { ok, checks }, text: checks.map(checkLine).join("\n"), failed: !ok };
  },
});

const checkLine = ({ status, name, message, remedy }: Check): string =>
  `${status.padEnd(4)}  ${name}: ${message}${remedy === null ? "" : `\n      ${remedy}`}`;
