import { expect, test } from "vitest";
import { uploadAndFollow } from "../support/counterparts/behind-nginx.ts";
import { startNginx } from "../support/counterparts/nginx.ts";
import { startService } from "../support/service/service.ts";
import { describeWithTool } from "../support/run/tools.ts";

describeWithTool("nginx", "the proxy of docker-compose.yml", () => {
  test("accepts a file of 200,000 people, and passes on progress until the job is ready", async () => {
    const service = await startService({ kind: "postgres", env: { REALMPASS_TRUSTED_PROXIES: "127.0.0.1" } });
    const ports = [service.apiPort];
    await service.startApi();
    const nginx = await startNginx([...ports, service.apiPort].map((port) => `127.0.0.1:${port}`));

    const jobs = await uploadAndFollow(nginx, service, 200_000);

    expect(jobs.at(-1)).toMatchObject({ state: "ready", total: 200_000 });
  }, 240_000);
});
