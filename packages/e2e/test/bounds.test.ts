import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Autoscaler, compileConfig, createAutoscaler, readCommandLine } from "@plimsoll/autoscaler";
import { systemClock } from "@plimsoll/component-base";
import { connect, createRestMapper, type KubeClient } from "@plimsoll/kube";
import { createSandbox, type Sandbox, type StoredObject } from "@plimsoll/sandbox";
import { applyManifests, parseManifests, until } from "@plimsoll/testbed";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { local } from "./fixture.ts";

vi.setConfig({ testTimeout: 60_000 });

const definition = local("../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml");
const hpas = "horizontalpodautoscalers.autoscaling";
const wlas = "workloadautoscalers.autoscaling.plimsoll.dev";
const annotation = "autoscaling.plimsoll.dev/schedule-bounds";

let folder: string;
let sandbox: Sandbox;
let client: KubeClient;
let aheadMs = 0;
const running: { autoscaler: Autoscaler; client: KubeClient }[] = [];
const troubles: unknown[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-bounds-"));
  sandbox = createSandbox({ workloads: false });
  const address = await sandbox.start();
  writeFileSync(join(folder, "kubeconfig"), address.kubeconfig, { mode: 0o600 });
  client = await connect({ kubeconfig: join(folder, "kubeconfig"), userAgent: "kubectl" });
  await apply(readFileSync(definition, "utf8"), "setup");
  setTime("2026-03-02T08:00:00Z");
});

afterEach(async () => {
  for (const one of running.slice()) await stop(one.autoscaler);
  await client?.close();
  await sandbox?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The wall clock of the process; its timers do not notice, as on a machine whose clock is set. */
function setTime(at: string): void {
  aheadMs = Date.parse(at) - Date.now();
}

async function start(wrap = (one: KubeClient) => one): Promise<Autoscaler> {
  const compiled = compileConfig(
    readCommandLine(["--leader-elect=false", "--port=0", "--manage-hpas=none", "--insecure-decisions"]),
  );
  if (!compiled.ok) throw new Error("the test's own flags are wrong");
  const own = await connect({ kubeconfig: join(folder, "kubeconfig"), userAgent: "autoscaler" });
  const record = (fields: object, message: string) => troubles.push([message, fields]);
  const autoscaler = createAutoscaler(compiled.config, {
    client: wrap(own),
    clock: { ...systemClock, nowMs: () => Date.now() + aheadMs },
    log: { debug: () => {}, info: () => {}, warn: record, error: record },
  });
  running.push({ autoscaler, client: own });
  await autoscaler.start();
  return autoscaler;
}

async function stop(autoscaler: Autoscaler): Promise<void> {
  const index = running.findIndex((one) => one.autoscaler === autoscaler);
  const [one] = running.splice(index, 1);
  await autoscaler.stop();
  await one?.client.close();
}

/** Server-side apply, as a tool does that keeps what is in a repository. */
async function apply(text: string, manager: string): Promise<void> {
  const mapper = createRestMapper({ client });
  for (const object of parseManifests(text)) {
    if (manager === "setup") await applyManifests({ client, mapper }, [object]);
    else
      await client.request({
        method: "PATCH",
        path: pathOf(object.kind === "HorizontalPodAutoscaler" ? hpas : wlas, object.metadata.name),
        query: { fieldManager: manager, force: true },
        contentType: "application/apply-patch+yaml",
        body: object,
      });
  }
}

function pathOf(resource: string, name = ""): string {
  const [plural, ...group] = resource.split(".");
  const version = resource === hpas ? "v2" : "v1alpha1";
  return `/apis/${group.join(".")}/${version}/namespaces/default/${plural}${name === "" ? "" : `/${name}`}`;
}

const create = (resource: string, object: object) =>
  client.request({ method: "POST", path: pathOf(resource), body: object });

const edit = (resource: string, name: string, body: object, manager = "kubectl-edit") =>
  client.request({
    method: "PATCH",
    path: pathOf(resource, name),
    query: { fieldManager: manager },
    contentType: "application/merge-patch+json",
    body,
  });

const hpa = (spec: object = {}) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "shop", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    minReplicas: 2,
    maxReplicas: 10,
    ...spec,
  },
});

const office = { name: "office", timeZone: "UTC", start: "0 9 * * *", end: "0 18 * * *", minReplicas: 8 };

const wla = (options: { name?: string; schedules?: readonly object[]; spec?: object } = {}) => ({
  apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  kind: "WorkloadAutoscaler",
  metadata: { name: options.name ?? "hours", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "shop" },
    minReplicas: 1,
    maxReplicas: 30,
    schedules: options.schedules ?? [office],
    ...options.spec,
  },
});

function stored(resource: string, name: string): StoredObject | undefined {
  return sandbox.store.get(resource, "default", name);
}

function bounds(): readonly (number | undefined)[] {
  const { minReplicas, maxReplicas } = (stored(hpas, "shop")?.spec ?? {}) as Record<
    string,
    number | undefined
  >;
  return [minReplicas, maxReplicas];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function condition(type: string, name = "hours"): Condition | undefined {
  const status = stored(wlas, name)?.status as { conditions?: readonly Condition[] } | undefined;
  return status?.conditions?.find((candidate) => candidate.type === type);
}

const reaches = async (wanted: readonly number[]) => {
  await until(`the bounds ${wanted.join("/")}`, () => (bounds().join() === wanted.join() ? true : undefined));
  return bounds();
};

const says = (type: string, reason: string, name?: string) =>
  until(`${type} ${reason}`, () =>
    condition(type, name)?.reason === reason ? condition(type, name) : undefined,
  ).catch((error: unknown) => {
    throw new Error(`${type} says ${JSON.stringify(condition(type, name))}`, { cause: error });
  });

function managers(): readonly string[] {
  const { managedFields } = (stored(hpas, "shop")?.metadata ?? {}) as {
    managedFields?: readonly { manager: string }[];
  };
  return (managedFields ?? []).map(({ manager }) => manager);
}

const reported = () =>
  sandbox.store
    .list("events", "default")
    .map((event) => `${String(event["type"])} ${String(event["reason"])}: ${String(event["message"])}`);

test("a floor holds from its start to its end, and then everything is as it was", async () => {
  await create(hpas, hpa());
  await create(wlas, wla());
  await start();
  await says("Ready", "Scheduled");
  expect(bounds()).toEqual([2, 10]);
  expect(condition("ScheduleActive")?.status).toBe("False");

  setTime("2026-03-02T09:00:01Z");
  await reaches([8, 10]);
  expect(stored(hpas, "shop")?.metadata.annotations?.[annotation]).toBe(
    '{"by":"hours","own":{"minReplicas":2},"set":{"minReplicas":8}}',
  );
  expect((await says("ScheduleActive", "ScheduleActive"))?.message).toContain(
    "the limits [2, 10] become [8, 10]",
  );

  setTime("2026-03-02T18:00:01Z");
  await reaches([2, 10]);
  await says("ScheduleActive", "NoScheduleActive");
  await until("that we own nothing", () => !managers().includes("plimsoll-schedules") || undefined);
  expect(stored(hpas, "shop")?.metadata.annotations?.[annotation]).toBeUndefined();
  await until("the events", () =>
    reported().some((line) => line.includes("BoundsRestored")) ? true : undefined,
  );
  expect(reported()).toContainEqual(
    expect.stringMatching(/^Normal BoundsMoved: shop: minReplicas 8, maxReplicas 10$/),
  );
  expect(reported().filter((line) => line.startsWith("Warning"))).toEqual([]);
  // No manager is in conflict with what is left.
  await client.request({
    method: "PATCH",
    path: pathOf(hpas, "shop"),
    query: { fieldManager: "a-tool" },
    contentType: "application/apply-patch+yaml",
    body: hpa({ minReplicas: 3 }),
  });
  expect(bounds()).toEqual([3, 10]);
});

test("a process that was not there when it ended restores it when it comes back", async () => {
  await create(hpas, hpa());
  await create(wlas, wla({ schedules: [{ ...office, minReplicas: 20 }] }));
  setTime("2026-03-02T10:00:00Z");
  const first = await start();
  await reaches([20, 20]);
  await stop(first);
  setTime("2026-03-02T20:00:00Z");
  await start();
  expect(await reaches([2, 10])).toEqual([2, 10]);
});

test("deleting the WorkloadAutoscaler restores the bounds first, also when no process saw it", async () => {
  await create(hpas, hpa());
  await create(wlas, wla());
  setTime("2026-03-02T10:00:00Z");
  const first = await start();
  await reaches([8, 10]);
  await stop(first);
  await client.request({ method: "DELETE", path: pathOf(wlas, "hours") });
  expect(stored(wlas, "hours")).toBeDefined();
  await start();
  await until("the object to go", () => (stored(wlas, "hours") === undefined ? true : undefined));
  expect(bounds()).toEqual([2, 10]);
});

test.each([0, 1, 2, 3, 4, 5])(
  "a process that is cut off after %i writes, at the start and at the end, leaves nothing that is not put right",
  async (writes) => {
    await create(hpas, hpa());
    await create(wlas, wla({ schedules: [{ ...office, minReplicas: 20 }] }));
    for (const at of ["2026-03-02T10:00:00Z", "2026-03-02T20:00:00Z"]) {
      setTime(at);
      let left = writes;
      let cut = 0;
      const dying = await start((own) => ({
        ...own,
        request: (request) => {
          const isWrite = (request.method ?? "GET") !== "GET";
          if (isWrite && left-- <= 0) cut++;
          // What was sent before may have arrived; nothing is heard of it any more.
          return cut > 0 ? Promise.reject(new Error("cut off")) : own.request(request);
        },
      }));
      await until("the end of its writes", () => {
        const isSettled = bounds().join() === (at.includes("T10") ? "20,20" : "2,10");
        return cut > 0 || (isSettled && condition("Ready") !== undefined) || undefined;
      });
      await stop(dying);
    }
    await start();
    await reaches([2, 10]);
    await until(
      "the annotation to go",
      () => stored(hpas, "shop")?.metadata.annotations?.[annotation] === undefined || undefined,
    );
    setTime("2026-03-03T10:00:00Z");
    expect(await reaches([20, 20])).toEqual([20, 20]);
  },
);

test("pausing it, and pointing it elsewhere, restore the bounds", async () => {
  await create(hpas, hpa());
  await create(wlas, wla());
  setTime("2026-03-02T10:00:00Z");
  await start();
  await reaches([8, 10]);
  await edit(wlas, "hours", { spec: { mode: "Paused" } });
  await reaches([2, 10]);
  await says("Active", "Paused");
  await edit(wlas, "hours", { spec: { mode: "Active" } });
  await reaches([8, 10]);
  await edit(wlas, "hours", { spec: { scaleTargetRef: { name: "other" } } });
  await reaches([2, 10]);
  expect((await says("Ready", "TargetNotFound"))?.message).toBe(
    "there is no HorizontalPodAutoscaler other (PLM5003)",
  );
});

test("what a person sets while it holds is what is restored", async () => {
  await create(hpas, hpa());
  await create(wlas, wla());
  setTime("2026-03-02T10:00:00Z");
  await start();
  await reaches([8, 10]);
  await edit(hpas, "shop", { spec: { minReplicas: 4, maxReplicas: 12 } });
  await reaches([8, 12]);
  setTime("2026-03-02T18:00:01Z");
  expect(await reaches([4, 12])).toEqual([4, 12]);
});

test("who applies the minimum is given way to, by name, and not fought with", async () => {
  await apply(JSON.stringify(hpa()), "kustomize-controller");
  await create(wlas, wla());
  setTime("2026-03-02T10:00:00Z");
  await start();
  const conflict = await says("Conflict", "FieldManagerConflict");
  expect(conflict?.message).toContain("kustomize-controller applies spec.minReplicas");
  expect((await says("Ready", "Conflict"))?.status).toBe("False");
  expect(bounds()).toEqual([2, 10]);
  const version = stored(hpas, "shop")?.metadata.resourceVersion;
  await until("the event", () =>
    reported().some((line) => line.startsWith("Warning FieldManagerConflict")) ? true : undefined,
  );
  // Once it leaves the field to us, the next try has it.
  expect(stored(hpas, "shop")?.metadata.resourceVersion).toBe(version);
  const { minReplicas: _, ...spec } = hpa().spec;
  await apply(JSON.stringify({ ...hpa(), spec }), "kustomize-controller");
  setTime("2026-03-02T10:06:00Z");
  await reaches([8, 10]);
  setTime("2026-03-02T18:00:01Z");
  await until("the minimum to be back", () => (bounds()[0] === 1 ? true : undefined));
});

test("a tool that sets the minimum back is given way to, and later tried again", async () => {
  await create(hpas, hpa());
  await create(wlas, wla());
  setTime("2026-03-02T10:00:00Z");
  await start();
  await reaches([8, 10]);
  await edit(hpas, "shop", { spec: { minReplicas: 2 } }, "some-operator");
  expect((await says("Conflict", "Undone"))?.message).toContain("some-operator set spec.minReplicas back");
  expect(bounds()).toEqual([2, 10]);
  setTime("2026-03-02T10:06:00Z");
  await reaches([8, 10]);
  await says("Conflict", "NoConflict");
});

test("an HPA that comes later, goes, and comes again", async () => {
  await create(wlas, wla());
  setTime("2026-03-02T10:00:00Z");
  await start();
  await says("Ready", "TargetNotFound");
  await create(hpas, hpa());
  await reaches([8, 10]);
  await says("Ready", "Scheduled");
  await client.request({ method: "DELETE", path: pathOf(hpas, "shop") });
  await says("Ready", "TargetNotFound");
  await create(hpas, hpa({ minReplicas: 3 }));
  await reaches([8, 10]);
  setTime("2026-03-02T18:00:01Z");
  expect(await reaches([3, 10])).toEqual([3, 10]);
});

test("of two that point to one HPA the first holds it, and the other says so", async () => {
  await create(hpas, hpa());
  await create(wlas, wla({ name: "a" }));
  await create(wlas, wla({ name: "b", schedules: [{ ...office, minReplicas: 9 }] }));
  setTime("2026-03-02T10:00:00Z");
  await start();
  await reaches([8, 10]);
  expect((await says("Conflict", "SharedTarget", "b"))?.message).toBe("the bounds follow the schedules of a");
  await client.request({ method: "DELETE", path: pathOf(wlas, "a") });
  await reaches([9, 10]);
});

test("a bad entry stops no other, and metrics have no place there", async () => {
  await create(hpas, hpa());
  await create(wlas, wla({ schedules: [{ ...office, name: "bad", timeZone: "Mars" }, office] }));
  setTime("2026-03-02T10:00:00Z");
  await start();
  await reaches([8, 10]);
  expect((await says("SchedulesValid", "InvalidSchedule"))?.message).toContain(
    "bad: spec.schedules[0].timeZone",
  );
  const metrics = [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  ];
  await edit(wlas, "hours", { spec: { metrics } });
  await reaches([2, 10]);
  expect((await says("Ready", "InvalidSpec"))?.message).toContain("has metrics of its own");
});

test("the example of the page does what the page says", async () => {
  const page = readFileSync(local("../../../docs/cronhpa.md"), "utf8");
  const [, example = ""] = /```yaml\n(apiVersion: autoscaling\.plimsoll\.dev[^`]+)```/.exec(page) ?? [];
  await create(hpas, hpa());
  for (const object of parseManifests(example)) await create(wlas, object);
  // A Monday, on which it is 08:00 in Berlin.
  setTime("2026-03-02T07:00:01Z");
  await start();
  await reaches([8, 10]);
  expect((await says("Ready", "Scheduled", "shop-hours"))?.status).toBe("True");
});

test("an HPA that is managed goes on as the HPA that it is", async () => {
  await create(hpas, hpa());
  await create(wlas, wla());
  setTime("2026-03-02T10:00:00Z");
  const autoscaler = await start();
  await reaches([8, 10]);
  await autoscaler.sync();
  const names = autoscaler.decisions.latest().map(({ name }: { name: string }) => name);
  expect(names).toEqual(["shop"]);
});
