import { readFileSync } from "node:fs";
import { createScenario } from "@plimsoll/demo";
import {
  gaugeRules,
  type PlimsollProcess,
  type PrometheusServer,
  type Stack,
  startPlimsoll,
  until,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { example, local, temporaryStack } from "../fixture.ts";
import { dashboards, expand, labelValues, type Panel, queries } from "./monitoring/dashboard.ts";
import { ask, jobs, startMonitor, valuesOf } from "./monitoring/monitor.ts";
import { type OtherAdapter, startOtherAdapter } from "./monitoring/other-adapter.ts";

const shipped = dashboards();
const crds = [
  "workloadautoscalers.autoscaling.plimsoll.dev",
  "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com",
].map((name) => local(`../../../deploy/crds/${name}.yaml`));

let stack: Stack;
let stop: () => Promise<void>;
let autoscaler: PlimsollProcess;
let monitor: PrometheusServer;
let otherAdapter: OtherAdapter;
let resetting: NodeJS.Timeout | undefined;
const folder = fileFolder();

beforeAll(async () => {
  otherAdapter = await startOtherAdapter(folder);
  const started = await temporaryStack({
    rules: gaugeRules,
    loads: createScenario("fast").streams.map(({ load }) => load),
    adapterArgs: [
      "--metrics-relist-interval=1s",
      "--metrics-max-age=10s",
      "--metric-rules=true",
      otherAdapter.flag,
    ],
  });
  ({ stack, stop } = started);
  for (const crd of crds) await stack.apply(crd);
  await stack.mapper.refresh();
  await stack.apply(example("autoscalers.yaml"));
  await stack.apply(local("stack/monitoring/objects.yaml"));
  for (const name of ["router", "shop", "worker", "api"]) {
    await patchHpa(name, { metadata: { annotations: { "autoscaling.plimsoll.dev/managed": "true" } } });
  }
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${stack.kubeconfigFor("autoscaler")}`,
    "--manage-hpas=annotated",
    "--cron-hpa",
    "--horizontal-pod-autoscaler-sync-period=1s",
    "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
    "--horizontal-pod-autoscaler-initial-readiness-delay=0s",
    "--port=0",
  ]);
  monitor = await startMonitor(stack, { folder: started.folder, autoscaler });
  // What another controller says of `watched`, and we do not agree with.
  const conditions = [{ type: "ScalingActive", status: "True", reason: "ValidMetricFound" }];
  await patchHpa("watched", { status: { currentReplicas: 1, desiredReplicas: 7, conditions } }, "status");
  resetting = resetReplicas("contested");
});

afterAll(async () => {
  clearInterval(resetting);
  await monitor?.stop();
  await autoscaler?.stop();
  await stop?.();
  await otherAdapter?.stop();
});

/** What Grafana puts in the place of its variables; two ways to find the namespace of an object. */
const settings = {
  "with honorLabels": { job: jobs.honoring, namespace_label: "namespace" },
  "without honorLabels": { job: jobs.exporting, namespace_label: "exported_namespace" },
} as const;

const choices: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  adapter: [{ job: jobs.adapter, namespace: "plimsoll" }],
  "autoscaler-fleet": Object.values(settings).map((setting) => ({ ...setting, namespace: ".*" })),
  workload: Object.values(settings).flatMap((setting) => [
    { ...setting, namespace: "default", kind: "HorizontalPodAutoscaler", name: "router" },
    { ...setting, namespace: "default", kind: "WorkloadAutoscaler", name: "resting" },
  ]),
};
const always = { datasource: "prometheus", __rate_interval: "10s", __range: "1h" };

describe.each([...shipped])("dashboard %s", (name, board) => {
  test("imports anywhere: a fixed uid, its data source by variable, panels that do not overlap", () => {
    expect(board.uid).toBe(`plimsoll-${name}`);
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    const taken = new Set<string>();
    const faults: string[] = [];
    for (const { title, gridPos, type, datasource, targets = [] } of board.panels) {
      if (gridPos.x + gridPos.w > 24) faults.push(`${title} is too wide`);
      for (const cell of cells(gridPos)) {
        if (taken.has(cell)) faults.push(`${title} lies over another panel`);
        taken.add(cell);
      }
      const sources = type === "row" ? [] : [datasource, ...targets.map((target) => target.datasource)];
      if (sources.some((source) => source?.uid !== "${datasource}"))
        faults.push(`${title} has a source of its own`);
    }
    expect(faults).toEqual([]);
  });

  test.each(choices[name] ?? [])("every panel shows something: %o", async (values) => {
    const empty = new Set(queries(board).map(({ at }) => at));
    await until(
      `the panels ${[...empty].join(", ")}`,
      async () => {
        for (const { at, expr } of queries(board)) {
          if (empty.has(at) && (await ask(monitor, expand(expr, { ...always, ...values }))).length > 0)
            empty.delete(at);
        }
        return empty.size === 0 ? true : undefined;
      },
      { everyMs: 500 },
    ).catch(() => {});
    expect([...empty]).toEqual([]);
  });

  test.each(choices[name] ?? [])("every variable offers the value chosen: %o", async (values) => {
    const missing = async () => {
      const found: string[] = [];
      for (const variable of board.templating.list) {
        if (variable.type !== "query") continue;
        const query = typeof variable.query === "string" ? variable.query : variable.query.query;
        const asked = labelValues(expand(query, { ...always, ...values }));
        const offered = await valuesOf(monitor, asked?.label ?? "", asked?.match);
        const chosen = new RegExp(`^(${values[variable.name]})$`);
        if (!offered.some((value) => chosen.test(value))) found.push(query);
      }
      return found;
    };
    await expect.poll(missing, { interval: 500 }).toEqual([]);
  });
});

test("the panels for trouble show the objects that are in it, by name", async () => {
  const fleet = shipped.get("autoscaler-fleet");
  const values = { ...always, ...settings["with honorLabels"], namespace: ".*" };
  const shown = (title: string) => {
    const expr = fleet?.panels.find((panel) => panel.title === title)?.targets?.[0]?.expr ?? "";
    const objects = async () => (await ask(monitor, expand(expr, values))).map(({ metric }) => metric);
    // At the start others may be in trouble for a moment.
    return expect.poll(objects, { interval: 500 });
  };
  await shown("Scaling blocked, by object").toMatchObject([
    { namespace: "default", horizontalpodautoscaler: "blocked", reason: "FailedGetPodsMetric" },
  ]);
  await shown("Want more than maxReplicas").toMatchObject([
    { namespace: "default", horizontalpodautoscaler: "pinned", reason: "TooManyReplicas" },
  ]);
  await shown("Objects by who manages them").toEqual(
    expect.arrayContaining([{ mode: "active" }, { mode: "shadow" }, { mode: "paused" }]),
  );
});

/** From kube-apiserver, not from us. */
const foreign = new Set(["aggregator_unavailable_apiservice"]);

const { groups } = parse(readFileSync(local("../../../deploy/alerts/plimsoll.rules.yaml"), "utf8")) as {
  groups: readonly { name: string; rules: readonly { alert: string; expr: string }[] }[];
};
const rules = groups.flatMap((group) => group.rules);

test("on these objects the alerts are about those in trouble, and no others", async () => {
  const about = async () => {
    const found: Record<string, readonly string[]> = {};
    for (const { alert, expr } of groups.find(({ name }) => name === "plimsoll-workloads")?.rules ?? []) {
      const names = (await ask(monitor, expr))
        .filter(({ metric }) => metric["job"] === jobs.honoring)
        .map(
          ({ metric }) => metric["horizontalpodautoscaler"] ?? metric["cronhorizontalpodautoscaler"] ?? "",
        );
      if (names.length > 0) found[alert] = names;
    }
    return found;
  };
  // Some may have been in trouble for a moment, before there was a rate of anything.
  // Shorter than the limit of the test, so that a failure shows the difference.
  await expect.poll(about, { interval: 500, timeout: 90_000 }).toEqual({
    PlimsollScalingBlocked: ["blocked"],
    PlimsollMetricUnreadable: ["blocked"],
    PlimsollPinnedAtMax: ["pinned"],
    PlimsollReplicasOverwritten: ["contested"],
    PlimsollShadowDiverges: [""],
    PlimsollPausedTooLong: ["resting"],
    PlimsollScheduleMissed: ["never"],
  });
});

test("every series that an alert reads is served, with the labels that it selects", async () => {
  // Shorter than the limit of the test, so that a failure shows the faults.
  await expect.poll(faultsOfRules, { interval: 1000, timeout: 90_000 }).toEqual([]);
});

async function faultsOfRules(): Promise<readonly string[]> {
  const served = new Set(await valuesOf(monitor, "__name__"));
  const faults: string[] = [];
  for (const { alert, expr } of rules) {
    const selectors = [...expr.matchAll(/([a-z]\w*_[a-z]\w*)\s*(?:\{([^}]*)\})?/g)].filter(([, name = ""]) =>
      /^(plimsoll|aggregator)_/.test(name),
    );
    if (selectors.length === 0) faults.push(`${alert} reads nothing`);
    for (const [, name = "", matchers = ""] of selectors) {
      if (foreign.has(name)) continue;
      if (!served.has(name)) faults.push(`${alert}: no process serves ${name}`);
      for (const [, label = ""] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
        const values = await valuesOf(monitor, label, name);
        if (values.length === 0) faults.push(`${alert}: ${name} has no label ${label}`);
      }
    }
    // Prometheus itself can evaluate it on what is really served.
    await ask(monitor, expr);
  }
  return faults;
}

function* cells({ x, y, w, h }: Panel["gridPos"]): Generator<string> {
  for (let column = x; column < x + w; column++) {
    for (let row = y; row < y + h; row++) yield `${column},${row}`;
  }
}

async function patchHpa(name: string, body: object, subresource?: string): Promise<void> {
  const path = subresource === undefined ? name : `${name}/${subresource}`;
  await patch(`/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/${path}`, body);
}

async function patch(path: string, body: object): Promise<void> {
  await stack.client.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
}

/** Applies `replicas: 1` twice a second, as a GitOps client does whose manifest has them. */
function resetReplicas(name: string): NodeJS.Timeout {
  const path = `/apis/apps/v1/namespaces/default/deployments/${name}`;
  return setInterval(() => void patch(path, { spec: { replicas: 1 } }).catch(() => {}), 500);
}
