import { authentication } from "./authentication.ts";
import { chunked } from "./chunked.ts";
import { lists } from "./lists.ts";
import { reads } from "./reads.ts";
import { rsa } from "./rsa.ts";
import { single } from "./single.ts";

/** Every scenario under the name it is asked for by. */
export const scenarios = { single, chunked, rsa, reads, authentication, lists } as const;
export type ScenarioName = keyof typeof scenarios;
