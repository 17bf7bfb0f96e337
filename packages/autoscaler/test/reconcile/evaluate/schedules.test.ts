import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@plimsoll/component-base";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type FakeApi, type FakeObject, failure } from "../../fake-api.ts";
import { deployment, hitsPath, pod, podsMetric, rig, within, writes } from "../../harness.ts";

/** A clock that tests advance, and set as an administrator does: its timers do not notice. */
function settableClock(instant: string): ManualClock & { set(instant: string): void } {
  const timers = manualClock(Date.parse(instant));
  let aheadMs = 0;
  return {
    ...timers,
    nowMs: () => timers.nowMs() + aheadMs,
    set(to) {
      aheadMs = Date.parse(to) - timers.nowMs();
    },
  };
}

const office = {
  name: "office",
  timeZone: "Europe/Berlin",
  start: "0 8 * * MON-FRI",
  end: "0 18 * * MON-FRI",
  minReplicas: 6,
};

function wla(spec: object): FakeObject {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      minReplicas: 2,
      maxReplicas: 10,
      metrics: [podsMetric("hits")],
      schedules: [office],
      ...spec,
    },
  };
}

async function setUp(instant: string, spec: object = {}, replicas = 3, calendarDirectory?: string) {
  const clock = settableClock(instant);
  const rigged = await rig({
    clock,
    config: { calendarDirectory },
    before: (api) => {
      api.put("deployments", deployment("shop", replicas));
      for (const n of [0, 1, 2]) api.put("pods", pod(`shop-${n}`, "shop"));
      api.put("workloadautoscalers", wla(spec));
      load(api, "10", clock);
    },
  });
  return { ...rigged, clock };
}

/** Every pod's value; 10 is the target. */
function load(api: FakeApi, value: string, clock: Clock): void {
  const timestamp = new Date(clock.nowMs()).toISOString();
  const items = [0, 1, 2].map((n) => ({ describedObject: { name: `shop-${n}` }, timestamp, value }));
  api.metrics.set(hitsPath, { kind: "MetricValueList", items });
}

const replicas = (api: FakeApi) =>
  (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;

interface Status {
  readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
  readonly schedules?: object;
}
const statusOf = (api: FakeApi) =>
  (api.get("workloadautoscalers", "default", "shop") as { status?: Status }).status;
const condition = (api: FakeApi, type: string) => statusOf(api)?.conditions?.find((one) => one.type === type);
const events = (api: FakeApi) =>
  api.list("events").map((event) => `${String(event["reason"])} ${String(event["message"])}`);

test("a floor begins on its second, without waiting for the next turn, and its end gives the metrics the word", async () => {
  const { api, autoscaler, clock } = await setUp("2024-11-22T06:59:57Z");
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(condition(api, "ScheduleActive")).toMatchObject({ status: "False", reason: "NoScheduleActive" });
  expect(statusOf(api)?.schedules).toEqual({
    active: [],
    minReplicas: 2,
    maxReplicas: 10,
    nextTransition: "2024-11-22T07:00:00Z",
  });
  // The sync period is an hour: only the schedule can have done it.
  await clock.advance(2999);
  expect(replicas(api)).toBe(3);
  await within(clock, 1000, () => expect(replicas(api)).toBe(6));
  await within(clock, 5000, () =>
    expect(statusOf(api)?.schedules).toEqual({
      active: [
        { name: "office", since: "2024-11-22T07:00:00Z", until: "2024-11-22T17:00:00Z", minReplicas: 6 },
      ],
      minReplicas: 6,
      maxReplicas: 10,
      nextTransition: "2024-11-22T17:00:00Z",
    }),
  );
  expect(condition(api, "ScheduleActive")).toMatchObject({
    status: "True",
    message: "office: at least 6 until 2024-11-22T17:00:00Z; limits change from [2, 10] to [6, 10]",
  });
  load(api, "27", clock);
  await autoscaler.sync();
  expect(replicas(api)).toBe(9);
  load(api, "1", clock);
  clock.set("2024-11-22T17:05:00Z");
  await within(clock, 10_000, async () => {
    await autoscaler.sync();
    expect(replicas(api)).toBe(2);
  });
  expect(events(api)).toEqual(
    expect.arrayContaining([
      "ScheduleStarted office: at least 6 until 2024-11-22T17:00:00Z; limits change from [2, 10] to [6, 10]",
      "SuccessfulRescale New size: 6; reason: Current number of replicas below the floor of schedules",
      "ScheduleEnded office ended; limits are now [2, 10]",
    ]),
  );
  expect(api.get("workloadautoscalers", "default", "shop").spec).toMatchObject({
    minReplicas: 2,
    maxReplicas: 10,
  });
});

test("a clock that is set ahead is noticed within seconds; one that is set back undoes nothing wrong", async () => {
  const { api, autoscaler, clock } = await setUp("2024-11-22T03:00:00Z");
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  clock.set("2024-11-22T12:00:00Z");
  await within(clock, 10_000, () => expect(replicas(api)).toBe(6));
  clock.set("2024-11-22T03:30:00Z");
  await autoscaler.sync();
  expect(condition(api, "ScheduleActive")).toMatchObject({ status: "False" });
});

test("nothing is written while nothing changes", async () => {
  const { api, autoscaler } = await setUp("2024-11-22T10:00:00Z", {}, 6);
  await autoscaler.sync();
  await autoscaler.sync();
  const before = writes(api).length;
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(writes(api)).toHaveLength(before);
});

test("a floor holds while the metrics fail", async () => {
  const { api, autoscaler } = await setUp("2024-11-22T10:00:00Z");
  api.script("GET", /\/hits$/, () => failure(503, "ServiceUnavailable", "down"), 99);
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
});

test("switched off at night, and on again in the morning, by a process that was not there in between", async () => {
  const night = { name: "night", timeZone: "UTC", start: "0 22 * * *", duration: "8h", replicas: 0 };
  const first = await setUp("2024-11-22T22:00:05Z", { schedules: [night] });
  await first.autoscaler.sync();
  expect(replicas(first.api)).toBe(0);
  expect(condition(first.api, "Ready")).toMatchObject({ status: "True" });
  await first.autoscaler.sync();
  expect(condition(first.api, "ScalingActive")).toMatchObject({ status: "True", reason: "ScheduledToZero" });
  await first.autoscaler.stop();
  first.clock.set("2024-11-23T06:00:01Z");
  const second = await rig({ api: first.api, clock: first.clock });
  await second.autoscaler.sync();
  expect(replicas(first.api)).toBe(2);
});

test("without metrics the schedules decide alone, and no metric is requested", async () => {
  const { api, autoscaler, clock } = await setUp("2024-11-22T10:00:00Z", { metrics: [], minReplicas: 0 }, 0);
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
  await autoscaler.sync();
  expect(condition(api, "ScalingActive")).toMatchObject({ status: "True", reason: "SchedulesOnly" });
  clock.set("2024-11-22T17:30:00Z");
  await within(clock, 10_000, async () => {
    await autoscaler.sync();
    expect(replicas(api)).toBe(0);
  });
  expect(api.requests.filter(({ path }) => /metrics\.k8s\.io\/.*namespaces/.test(path))).toEqual([]);
});

test("a bad entry is reported by its name, and stops no other", async () => {
  const bad = { ...office, name: "holiday", timeZone: "Europe/Atlantis" };
  const { api, autoscaler } = await setUp("2024-11-22T10:00:00Z", { schedules: [bad, office] });
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
  expect(condition(api, "SchedulesValid")).toMatchObject({
    status: "False",
    reason: "InvalidSchedule",
    message:
      'holiday: spec.schedules[0].timeZone "Europe/Atlantis" is not a time zone: use a name of the IANA list, such as "Europe/Berlin"',
  });
  expect(condition(api, "Ready")).toMatchObject({ status: "True" });
  await autoscaler.sync();
  expect(events(api).filter((text) => text.startsWith("InvalidSchedule"))).toHaveLength(1);
});

test("where no entry is left and there are no metrics, nothing is scaled", async () => {
  const bad = { ...office, start: "never" };
  const { api, autoscaler } = await setUp("2024-11-22T10:00:00Z", { schedules: [bad], metrics: [] }, 5);
  await autoscaler.sync();
  expect(replicas(api)).toBe(5);
  expect(condition(api, "Ready")).toMatchObject({ status: "False", reason: "InvalidSpec" });
});

test("an edit of the schedules counts at once, and their removal leaves no trace in the status", async () => {
  const { api, autoscaler, clock } = await setUp("2024-11-22T10:00:00Z");
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
  const edited = (schedules: object | undefined) => {
    const stored = api.get("workloadautoscalers", "default", "shop");
    api.put("workloadautoscalers", { ...wla({ schedules }), status: stored["status"] });
  };
  edited([{ ...office, minReplicas: 8 }]);
  await within(clock, 1000, () => expect(replicas(api)).toBe(8));
  edited(undefined);
  await within(clock, 1000, () => {
    expect(statusOf(api)?.schedules).toBeUndefined();
    expect(condition(api, "ScheduleActive")).toBeUndefined();
  });
});

test("a holiday of a calendar leaves the metrics alone", async () => {
  const calendar = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "BEGIN:VEVENT",
    "UID:1",
    "DTSTART;VALUE=DATE:20201122",
    "RRULE:FREQ=YEARLY",
    "END:VEVENT",
    "END:VCALENDAR",
  ].join("\n");
  const { api, autoscaler, clock } = await setUp("2024-11-22T10:00:00Z", {
    schedules: [{ ...office, exclusions: [{ calendar }] }],
  });
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(statusOf(api)?.schedules).toMatchObject({ active: [], nextTransition: "2024-11-25T07:00:00Z" });
  clock.set("2025-11-21T10:00:00Z");
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
});

test("a calendar by name is one of the process's files, and is read again when that changes", async () => {
  const directory = testFolder();
  const day = (date: string) =>
    `BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:${date}\nEND:VEVENT\nEND:VCALENDAR\n`;
  writeFileSync(join(directory, "works.ics"), day("20241122"));
  const schedules = [{ ...office, exclusions: [{ calendarName: "works" }] }];
  const { api, autoscaler, clock } = await setUp("2024-11-22T10:00:00Z", { schedules }, 3, directory);
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  writeFileSync(join(directory, "works.ics"), `${day("20241124")}\n`);
  clock.set("2024-11-22T10:00:20Z");
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
});

test("in Shadow the status shows the schedules, nothing is scaled and no event is sent", async () => {
  const { api, autoscaler } = await setUp("2024-11-22T10:00:00Z", { mode: "Shadow" });
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(condition(api, "ScheduleActive")).toMatchObject({ status: "True" });
  expect(statusOf(api)).toMatchObject({ desiredReplicas: 6 });
  expect(events(api)).toEqual([]);
});
