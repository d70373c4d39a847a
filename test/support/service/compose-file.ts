import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** Where a volume is mounted in a service's file system. */
export interface Mount {
  volume: string;
  path: string;
  readOnly: boolean;
}

/** A service of docker-compose.yml, as far as tests read it; all variables have their defaults. */
export interface ComposeService {
  image: string;
  build?: string;
  pull_policy?: string;
  entrypoint?: string[];
  command?: string[];
  environment: Record<string, string>;
  mounts: Mount[];
  networks: string[];
  network_mode?: string;
  ports?: string[];
  configs?: { source: string; target: string }[];
  depends_on: Record<string, { condition: string }>;
  scale?: number;
  profiles?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  tmpfs?: string[];
  stop_grace_period?: string;
  logging?: { driver: string; options: Record<string, string> };
  healthcheck?: { test: string[] };
}

export interface ComposeFile {
  /** The file's text, before variables are filled in. */
  text: string;
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
  configs: Record<string, { file: string }>;
}

/** Reads docker-compose.yml without any variable set. */
export function readCompose(): ComposeFile {
  const text = readFileSync("docker-compose.yml", "utf8");
  const file = parse(text, {
    merge: true,
    reviver: (_, value: unknown) => (typeof value === "string" ? filledIn(value) : value),
  }) as Omit<ComposeFile, "text" | "services"> & { services: Record<string, Written> };
  const services = Object.entries(file.services).map(([name, written]) => {
    const { environment = {}, networks = [], depends_on = {}, volumes = [] } = written;
    const mounts = volumes.map((mount) => {
      const [volume = "", path = "", mode] = mount.split(":");
      return { volume, path, readOnly: mode === "ro" };
    });
    return [name, { ...written, environment, networks, depends_on, mounts }] as const;
  });
  return { ...file, text, services: Object.fromEntries(services) };
}

/** A service as written, with optional parts left out. */
type Written = Omit<ComposeService, "mounts" | "environment" | "networks" | "depends_on"> &
  Partial<Pick<ComposeService, "environment" | "networks" | "depends_on">> & { volumes?: string[] };

/** Fills in `${NAME:-default}`, including nested ones, and `$$` for a dollar sign. */
function filledIn(text: string): string {
  const inner = /\$\{\w+:-([^{}]*)\}/;
  return inner.test(text) ? filledIn(text.replace(inner, "$1")) : text.replaceAll("$$", "$");
}

/** Returns the variables that the image sets for each of its processes, unless the service overrides them. */
export function imageVariables(): Record<string, string> {
  const [, line = ""] = /^ENV (.*)$/m.exec(readFileSync("Dockerfile", "utf8")) ?? [];
  return Object.fromEntries(line.split(" ").map((pair) => pair.split("=") as [string, string]));
}
