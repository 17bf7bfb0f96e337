import { readFileSync } from "node:fs";
import { parseManifests } from "@plimsoll/testbed";
import { expect, test } from "vitest";
import { local } from "../../fixture.ts";
import {
  annotation,
  bounds,
  client,
  condition,
  create,
  edit,
  hpa,
  hpas,
  managers,
  office,
  pathOf,
  reaches,
  reported,
  says,
  setTime,
  start,
  stop,
  stored,
  until,
  useSandbox,
  wla,
  wlas,
} from "./bounds-rig.ts";

useSandbox();

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
    "limits change from [2, 10] to [8, 10]",
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
    "HorizontalPodAutoscaler other not found (PLM5003)",
  );
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
  expect((await says("Ready", "InvalidSpec"))?.message).toContain("has its own metrics");
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
