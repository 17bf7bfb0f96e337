import { expect, test } from "vitest";
import {
  apply,
  bounds,
  client,
  create,
  edit,
  hpa,
  hpas,
  office,
  pathOf,
  reaches,
  reported,
  says,
  setTime,
  start,
  stored,
  until,
  useSandbox,
  wla,
  wlas,
} from "./bounds-rig.ts";

useSandbox();

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

test("of two that point to one HPA the first holds it, and the other says so", async () => {
  await create(hpas, hpa());
  await create(wlas, wla({ name: "a" }));
  await create(wlas, wla({ name: "b", schedules: [{ ...office, minReplicas: 9 }] }));
  setTime("2026-03-02T10:00:00Z");
  await start();
  await reaches([8, 10]);
  expect((await says("Conflict", "SharedTarget", "b"))?.message).toBe("the limits follow the schedules of a");
  await client.request({ method: "DELETE", path: pathOf(wlas, "a") });
  await reaches([9, 10]);
});
