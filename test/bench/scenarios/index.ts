import { apps } from "./profiles/apps.ts";
import { authentication } from "./authentication.ts";
import { crl } from "./crl.ts";
import { dashboard } from "./dashboard.ts";
import { directory } from "./directory.ts";
import { disconnect } from "./disconnect.ts";
import { fairness } from "./fairness.ts";
import { growth } from "./growth.ts";
import { keys } from "./keys.ts";
import { lists } from "./lists.ts";
import { ocsp } from "./ocsp.ts";
import { memory } from "./memory.ts";
import { offboarding } from "./offboarding.ts";
import { onboarding } from "./onboarding.ts";
import { overload } from "./overload.ts";
import { reads } from "./reads.ts";
import { revocation } from "./revocation.ts";
import { rsa } from "./profiles/rsa.ts";
import { scale } from "./scale.ts";
import { search } from "./search.ts";
import { single } from "./profiles/single.ts";
import { start } from "./start.ts";
import { timeline } from "./timeline.ts";

/** Every scenario by its name. */
export const scenarios = {
  single,
  onboarding,
  offboarding,
  fairness,
  overload,
  scale,
  memory,
  growth,
  rsa,
  keys,
  apps,
  reads,
  authentication,
  lists,
  search,
  dashboard,
  timeline,
  directory,
  crl,
  ocsp,
  revocation,
  disconnect,
  start,
} as const;
export type ScenarioName = keyof typeof scenarios;
