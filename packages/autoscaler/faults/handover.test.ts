import { join } from "node:path";
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { type FakeApi, startFakeApi } from "../test/fake-api.ts";
import { replicasOf } from "../test/faults/metric-kinds.ts";
import { type Run, runWith } from "../test/process.ts";
import { addObject, setLoad } from "./world.ts";

/** A checkout of another version, with its dependencies: every second process is one of it. */
const other = process.env["OTHER_VERSION"];
const handovers = 3;

async function start(api: FakeApi, n: number): Promise<Run> {
  const program = join(other ?? "", "packages/autoscaler/src/main.ts");
  return runWith(other !== undefined && n % 2 === 0 ? { program } : {}, [
    `--kubeconfig=${await api.kubeconfigOf(`process-${n}`)}`,
    "--port=0",
    "--manage-hpas=all",
    "--watch-scale-targets=false",
    "--horizontal-pod-autoscaler-sync-period=300ms",
    "--horizontal-pod-autoscaler-downscale-stabilization=10m",
    "--leader-elect-resource-namespace=default",
    "--leader-elect-lease-duration=2s",
    "--leader-elect-renew-deadline=1500ms",
    "--leader-elect-retry-period=200ms",
  ]);
}

const isAtWork = (api: FakeApi, n: number) =>
  api.requests.some(({ agent, path }) => agent === `process-${n}` && path.includes("/external.metrics"));

test("versions that follow each other under load change no count by it, and hold what the one before held", async () => {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  for (const name of ["steady", "falls", "rises"]) addObject(api, name);
  for (const { metadata, spec, ...rest } of api.list("horizontalpodautoscalers")) {
    api.put("horizontalpodautoscalers", { ...rest, metadata, spec: { ...(spec as object), behavior: {} } });
  }
  setLoad(api, "falls", 60);
  let current = await start(api, 0);
  await eventually(() => expect(replicasOf(api, "falls")).toBe(6));
  // Held for ten minutes from here, whoever decides.
  setLoad(api, "falls", 10);
  for (let n = 1; n <= handovers; n++) {
    const next = await start(api, n);
    await eventually(() => expect(next.lines().some(({ msg }) => msg === "serving")).toBe(true));
    current.kill(n % 2 === 0 ? "SIGKILL" : "SIGTERM");
    setLoad(api, "rises", 30 + 10 * n);
    await eventually(() => expect(isAtWork(api, n)).toBe(true));
    await eventually(() => expect(replicasOf(api, "rises")).toBe(3 + n));
    current = next;
  }
  expect(api.scaled.map(({ target, to }) => [target, to])).toEqual([
    ["default/falls", 6],
    ...Array.from({ length: handovers }, (_, n) => ["default/rises", 4 + n]),
  ]);
});
