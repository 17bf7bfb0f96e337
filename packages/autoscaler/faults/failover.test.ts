import { readFileSync } from "node:fs";
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { type FakeApi, startFakeApi } from "../test/fake-api.ts";
import { type Run, runWith } from "../test/process.ts";
import { addObject, setLoad } from "./world.ts";

const objects = 1000;
const kills = 3;

/** What the behaviors of the objects say of the window in which nothing is scaled down. */
const kinds = {
  rises: {},
  "falls within the default window": {},
  "falls within a longer window": { scaleDown: { stabilizationWindowSeconds: 1800 } },
  "falls without a window": { scaleDown: { stabilizationWindowSeconds: 0 } },
} as const;
type Kind = keyof typeof kinds;

const all = Object.keys(kinds) as readonly Kind[];
const kindOf = (n: number): Kind => all[n % all.length] ?? "rises";
const names = Array.from({ length: objects }, (_, n) => `app-${String(n)}`);
const namesOf = (kind: Kind) => names.filter((_, n) => kindOf(n) === kind);

function add(api: FakeApi, name: string, behavior: object): void {
  addObject(api, name);
  const spec = { replicas: 3, selector: { matchLabels: { app: name } } };
  api.put("deployments", { ...api.get("deployments", "default", name), spec });
  const found = api.get("horizontalpodautoscalers", "default", name);
  api.put("horizontalpodautoscalers", { ...found, spec: { ...(found.spec as object), behavior } });
}

/** What Linux counts, in ticks of 10 ms. */
function cpuSeconds(pid: number): number {
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** With the leases of the default flags. */
async function start(api: FakeApi, agent: string): Promise<Run> {
  return runWith({}, [
    `--kubeconfig=${await api.kubeconfigOf(agent)}`,
    "--port=0",
    "--manage-hpas=all",
    "--leader-elect-resource-namespace=default",
  ]);
}

/** The objects whose metrics a process has read since then. */
function evaluated(api: FakeApi, agent: string, since: number): ReadonlySet<string> {
  const paths = api.requests
    .slice(since)
    .filter(
      (request) => request.agent === agent && request.path.includes("/external.metrics.k8s.io/v1beta1/n"),
    )
    .map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
  return new Set(paths);
}

test("of 1,000 objects of a leader that is killed each is evaluated by another process, and none is scaled down within its window", async () => {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  for (const [n, name] of names.entries()) add(api, name, kinds[kindOf(n)]);
  let leader = await start(api, "process-0");
  await eventually(() => expect(evaluated(api, "process-0", 0).size).toBe(objects));
  const took: string[] = [];
  for (let n = 1; n <= kills; n++) {
    const agent = `process-${String(n)}`;
    const next = await start(api, agent);
    await eventually(() => expect(next.lines().some(({ msg }) => msg === "evaluating")).toBe(true));
    await eventually(() =>
      expect(
        api.requests.some((one) => one.agent === agent && one.path.endsWith("/leases/plimsoll-autoscaler")),
      ).toBe(true),
    );
    for (const name of namesOf("rises")) setLoad(api, name, 30 + 10 * n);
    if (n === 1) for (const name of names) if (!namesOf("rises").includes(name)) setLoad(api, name, 10);
    const since = api.requests.length;
    const usedBefore = cpuSeconds(next.pid);
    const killedMs = Date.now();
    leader.kill("SIGKILL");
    await eventually(() => expect(evaluated(api, agent, since).size).toBe(objects));
    const gained = next.lines().find(({ msg }) => msg === "objects gained");
    const leaseMs = Date.parse(String(gained?.["time"])) - killedMs;
    const used = cpuSeconds(next.pid) - usedBefore;
    took.push(
      `${seconds(Date.now() - killedMs)} (the lease ${seconds(leaseMs)}, CPU time ${used.toFixed(1)} s)`,
    );
    await eventually(() => {
      const risen = api.scaled.filter((one) => one.agent === agent && one.to === 3 + n);
      expect(risen).toHaveLength(namesOf("rises").length);
    });
    leader = next;
  }
  console.log(
    `the last of ${String(objects)} objects was evaluated ${took.join(", ")} after the leader was killed`,
  );
  const down = api.scaled
    .filter(({ from, to }) => to < from)
    .map(({ target }) => target.replace("default/", ""));
  expect(down.toSorted()).toEqual([...namesOf("falls without a window")].toSorted());
});
