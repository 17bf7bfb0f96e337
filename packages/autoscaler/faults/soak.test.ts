import { collectsAtSignal, growthOf, type Held, heldBy } from "@plimsoll/component-base/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type FakeApi, failure } from "../test/fake-api.ts";
import { replicasOf } from "../test/faults/metric-kinds.ts";
import { addObject, setLoad, startWorld } from "./world.ts";

/** SOAK_MINUTES=1440 npm run task -- faults soak */
const minutes = Number(process.env["SOAK_MINUTES"] ?? "0.5");
/** Between two samples, by what is just under way. What grows slower than this shows in hours, not in half a minute. */
const noiseMiB = 12;
const notLinux = process.platform === "linux" ? undefined : "what a process has open is read from /proc";
const stepMs = 50;
const sampleEveryMs = Math.max(2000, (minutes * 60_000) / 200);
const livingAtOnce = 20;
const cutWatchesEvery = 200;

/** Twenty objects come and go in a second; one response in a hundred is a failure. */
function churn(api: FakeApi): () => void {
  let n = 0;
  api.script(
    "GET",
    /external\.metrics/,
    () => (n % 100 === 0 ? failure(503, "", "soak") : undefined),
    Number.POSITIVE_INFINITY,
  );
  const timer = setInterval(() => {
    n += 1;
    addObject(api, `comet-${n}`);
    const gone = `comet-${n - livingAtOnce}`;
    if (n > livingAtOnce) {
      api.remove("horizontalpodautoscalers", "default", gone);
      api.remove("deployments", "default", gone);
      for (const path of api.metrics.keys()) if (path.endsWith(`/${gone}`)) api.metrics.delete(path);
    }
    setLoad(api, "shop", 30 + (Math.floor(n / 40) % 3) * 10);
    if (n % cutWatchesEvery !== 0) return;
    api.cutWatches();
    // This side is not what is measured.
    api.requests.length = 0;
    api.scaled.length = 0;
    for (const { metadata } of api.list("events"))
      api.remove("events", metadata.namespace ?? "", metadata.name);
  }, stepMs);
  return () => clearInterval(timer);
}

test("objects that come and go for long leave no heap, no handle and no file behind", {
  // As long as its caller wants it to run.
  timeout: minutes * 60_000 + 120_000,
}, async ({ skip }) => {
  skip(notLinux !== undefined, notLinux);
  const { api, process, port } = await startWorld(["shop"], { nodeFlags: collectsAtSignal });
  const stop = churn(api);
  const sample = async (): Promise<Held> => {
    process.kill("SIGUSR2");
    // The collection that the signal asks for ends without a word.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return heldBy(process.pid, await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  };
  // What is compiled and cached once is there by then.
  await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(minutes * 20_000, 15_000), 60_000)));
  const samples: Held[] = [];
  const endMs = performance.now() + minutes * 60_000;
  while (performance.now() < endMs) {
    // Growth is measured over time.
    await new Promise((resolve) => setTimeout(resolve, sampleEveryMs));
    samples.push(await sample());
  }
  stop();
  const growth = growthOf(samples);
  console.log(`${minutes} minutes: ${JSON.stringify({ first: samples[0], last: samples.at(-1), growth })}`);
  expect(growth.heapMiB).toBeLessThan(noiseMiB + minutes / 60);
  expect(growth.handles).toBeLessThan(10);
  expect(growth.files).toBeLessThan(10);
  setLoad(api, "shop", 90);
  await eventually(() => expect(replicasOf(api, "shop")).toBe(9));
});
