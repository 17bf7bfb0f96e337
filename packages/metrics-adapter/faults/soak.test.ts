import { collectsAtSignal, growthOf, type Held, heldBy } from "@plimsoll/component-base/testing";
import { failure } from "@plimsoll/prometheus/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { healthy, startWorld } from "./world.ts";

/** SOAK_MINUTES=1440 npm run task -- faults soak */
const minutes = Number(process.env["SOAK_MINUTES"] ?? "0.5");
/** Between two samples, by what is just under way. What grows slower than this shows in hours, not in half a minute. */
const noiseMiB = 12;
const notLinux = process.platform === "linux" ? undefined : "what a process has open is read from /proc";
const sampleEveryMs = Math.max(2000, (minutes * 60_000) / 200);
const afterSignalMs = 500;

test("requests that are all different for long leave no heap, no handle and no file behind", {
  // As long as its caller wants it to run.
  timeout: minutes * 60_000 + 120_000,
}, async ({ skip }) => {
  skip(notLinux !== undefined, notLinux);
  const world = await startWorld({ nodeFlags: collectsAtSignal });
  let n = 0;
  world.prometheus.handle((request) =>
    n % 100 === 0 ? failure(503, "unavailable", "soak") : healthy(request),
  );
  const beganMs = performance.now();
  // What is compiled and cached once is there by then.
  const settledMs = beganMs + Math.min(minutes * 20_000, 60_000);
  const endMs = settledMs + minutes * 60_000;
  let nextMs = settledMs;
  const samples: Held[] = [];
  while (performance.now() < endMs) {
    n += 1;
    await world.value("queue", `n=a${n}`);
    // The other side is not what is measured.
    (world.prometheus.requests as unknown[]).length = 0;
    if (performance.now() < nextMs) continue;
    nextMs += sampleEveryMs;
    world.kill("SIGUSR2");
    // The collection that the signal asks for ends without a word.
    await new Promise((resolve) => setTimeout(resolve, afterSignalMs));
    samples.push(heldBy(world.pid, (await world.get("/metrics")).text));
  }
  const growth = growthOf(samples);
  console.log(
    `${minutes} minutes, ${n} requests: ${JSON.stringify({ first: samples[0], last: samples.at(-1), growth })}`,
  );
  expect(growth.heapMiB).toBeLessThan(noiseMiB + minutes / 60);
  expect(growth.handles).toBeLessThan(10);
  expect(growth.files).toBeLessThan(10);
  await eventually(async () => expect((await world.value("queue")).code).toBe(200));
});
