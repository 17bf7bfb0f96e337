import { expect, test } from "vitest";
import { toStatus } from "../../src/api/status.ts";

test.each(["ObjectNotFound", "Internal", "MetricNotFound", "BadRequest"] as const)(
  "a Status of %s stays short, whatever name the request had",
  (code) => {
    const name = "m".repeat(60_000);
    const { status } = toStatus({
      code,
      message: `the server could not find ${name}`,
      resource: "pods",
      name,
    });
    expect(JSON.stringify(status).length).toBeLessThanOrEqual(4_096);
    expect(status.message).toContain("could not find mmm");
  },
);
