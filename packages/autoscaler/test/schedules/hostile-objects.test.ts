import { createCalendarWorker } from "@plimsoll/calendars";
import { calendar, event, refused } from "@plimsoll/calendars/testing";
import { systemClock } from "@plimsoll/component-base";
import { eventually } from "@plimsoll/testbed/world";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { type FakeApi, type FakeObject, startFakeApi } from "../fake-api.ts";
import { deployment, pod, type Rig, rig } from "../harness.ts";
import { run } from "../process.ts";

const always = { timeZone: "UTC", start: "0 0 * * *", duration: "24h", minReplicas: 6 };
const holidays = calendar(event(1, "DTSTART;VALUE=DATE:20200101", "RRULE:FREQ=YEARLY"));

/** A WorkloadAutoscaler without metrics, whose floor of 6 holds but for what its calendar excludes. */
function wla(name: string, text?: string): FakeObject {
  const exclusions = text === undefined ? {} : { exclusions: [{ calendar: text }] };
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 2,
      maxReplicas: 10,
      schedules: [{ ...always, name: "always", ...exclusions }],
    },
  };
}

function put(api: FakeApi, name: string, text?: string): void {
  api.put("deployments", deployment(name, 2));
  api.put("pods", pod(`${name}-0`, name));
  api.put("workloadautoscalers", wla(name, text));
}

interface Status {
  readonly conditions?: readonly { type: string; status: string; message: string }[];
}
const replicas = (api: FakeApi, name: string) =>
  (api.get("deployments", "default", name).spec as { replicas: number }).replicas;
const validity = (api: FakeApi, name: string) =>
  (api.get("workloadautoscalers", "default", name) as { status?: Status }).status?.conditions?.find(
    ({ type }) => type === "SchedulesValid",
  );
/** The thread starts once for the file. */
const tasks = createCalendarWorker(systemClock);
afterAll(tasks.stop);
const isLive = async (url: string) => (await fetch(`${url}/livez`)).status === 200;

test.each(
  [refused[0], refused[3], refused[4], refused[5], refused[12], refused[14]].filter(
    (one) => one !== undefined,
  ),
)(
  "one object's calendar with %s: it is reported and excludes nothing, the others go on, after a restart as well",
  async (_, text, why) => {
    const first = await rig({
      runTask: tasks.run,
      before(api) {
        put(api, "hostile", text);
        put(api, "shop", holidays);
        put(api, "plain");
      },
    });
    const { api } = first;
    const all = async ({ autoscaler, url }: Pick<Rig, "autoscaler" | "url">) => {
      await autoscaler.sync();
      await eventually(() => {
        expect(["hostile", "shop", "plain"].map((name) => replicas(api, name))).toEqual([6, 6, 6]);
        expect(validity(api, "hostile")).toMatchObject({
          status: "False",
          message: expect.stringContaining(why) as string,
        });
        expect(validity(api, "shop")).toMatchObject({ status: "True" });
      });
      expect(await isLive(url)).toBe(true);
    };
    await all(first);
    await eventually(() =>
      expect(api.list("events").filter(({ reason }) => reason === "InvalidSchedule")).toHaveLength(1),
    );
    await first.autoscaler.stop();
    for (const name of ["hostile", "shop", "plain"]) api.put("deployments", deployment(name, 2));
    const second = await rig({ api, runTask: tasks.run });
    await all(second);
    api.remove("workloadautoscalers", "default", "hostile");
    api.put("deployments", deployment("shop", 2));
    await second.autoscaler.sync();
    expect(replicas(api, "shop")).toBe(6);
    expect(await isLive(second.url)).toBe(true);
  },
);

test("while a calendar is being read its object waits, and no other does", async () => {
  const { api, autoscaler, url } = await rig({
    runTask: () => new Promise(() => undefined),
    before(api) {
      put(api, "slow", holidays);
      put(api, "plain");
    },
  });
  await autoscaler.sync();
  expect([replicas(api, "plain"), replicas(api, "slow")]).toEqual([6, 2]);
  expect(await isLive(url)).toBe(true);
});

test("an object is evaluated as soon as its calendar has been read", async () => {
  let end = (): void => {};
  const { api, autoscaler } = await rig({
    runTask: () => new Promise((resolve) => (end = () => resolve({ days: [], spans: [] }))),
    before: (api) => put(api, "shop", holidays),
  });
  await autoscaler.sync();
  expect(replicas(api, "shop")).toBe(2);
  end();
  await eventually(() => expect(replicas(api, "shop")).toBe(6));
});

test("a process of its own reads calendars on a thread, goes on, and ends when it is to end", async () => {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  put(api, "hostile", refused[3]?.[1]);
  put(api, "shop", holidays);
  const { ended, kill, errors } = run(
    `--kubeconfig=${api.kubeconfig}`,
    "--port=0",
    "--insecure-decisions",
    "--leader-elect=false",
    "--horizontal-pod-autoscaler-sync-period=1s",
  );
  await eventually(() =>
    expect([replicas(api, "shop"), replicas(api, "hostile"), errors()]).toEqual([6, 6, ""]),
  );
  kill("SIGTERM");
  expect(await ended).toBe(0);
});
