import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ended } from "../../support/run/services.ts";
import type { Cleanup } from "../cleanup.ts";
import { readCpu, parts, type CpuByPart } from "../cpu.ts";
import type { Service } from "../service.ts";

/** The server under load. */
export type Target = Pick<Service, "port" | "token" | "cpu">;

/** Starts the bare server on the service's own Postgres, in a separate process whose CPU time counts as `start`. */
export async function startBare(service: Service, userId: string, cleanup: Cleanup): Promise<Target> {
  const child = fork(fileURLToPath(new URL("../bare.ts", import.meta.url)), [service.realmId, userId], {
    env: { ...process.env, BENCH_DATABASE_URL: service.databaseUrl },
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  cleanup.add(() => ended(child));
  const port = await new Promise<number>((resolve, reject) => {
    child.once("message", (message) => {
      resolve(Number(message));
    });
    child.once("exit", (code) => {
      reject(new Error(`the bare server ended with exit code ${code}`));
    });
  });
  return {
    port,
    token: "none",
    cpu() {
      const [ofService, ofBare] = [service.cpu(), readCpu([child.pid ?? 0])];
      return Object.fromEntries(parts.map((part) => [part, ofService[part] + ofBare[part]])) as CpuByPart;
    },
  };
}
