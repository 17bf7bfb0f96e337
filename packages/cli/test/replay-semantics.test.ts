// `plimsoll replay --semantics`: what another release of Kubernetes decides.
import { type DecisionRecord, encodeRecord } from "@plimsoll/core";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { schemaErrors } from "./published-schema.ts";
import { nowMs, record, recorded, writerIn } from "./queue-records.ts";
import { plimsoll } from "./run-plimsoll.ts";

const file = writerIn(fileFolder());
const replay = (args: readonly string[]) => plimsoll(["replay", ...args], { nowMs: () => nowMs });

/** Two pods run below the target, and two succeeded whose last samples lie above it. */
function withSucceeded(name: string): DecisionRecord {
  const metric = { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } };
  const pods = ["a", "b", "c", "d"].map((pod, at) => ({
    metadata: { name: pod },
    spec: { containers: [{ name: "app", resources: { requests: { cpu: "1" } } }] },
    status: {
      phase: at < 2 ? "Running" : "Succeeded",
      startTime: "2026-01-01T06:00:00Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T06:01:00Z" }],
    },
  }));
  const { input, memory } = record("50", name);
  return recorded(
    {
      ...input,
      hpa: { ...input.hpa, spec: { ...input.hpa.spec, metrics: [{ type: "Resource", resource: metric }] } },
      scale: { ok: true, specReplicas: 4, statusReplicas: 4, selector: `app=${name}` },
      pods: { ok: true, pods },
      samples: [
        {
          pods: pods.map(({ metadata, status }) => ({
            name: metadata.name,
            containers: { app: { cpu: status.phase === "Running" ? "250m" : "750m" } },
          })),
        },
      ],
    },
    memory,
  );
}

test("--semantics says which autoscalers another release of Kubernetes scales differently, and why", async () => {
  const lines = [withSucceeded("api"), record("50"), withSucceeded("api")].map(encodeRecord);
  const path = await file("upgrade.jsonl", lines.join("\n"));
  const { code, out, err } = await replay([path, "--semantics", "1.38"]);
  expect([code, err]).toEqual([2, ""]);
  expect(out).toBe(
    [
      "Kubernetes 1.37 -> 1.38: replicas change in 2 of 3 decisions, for 1 of 2 autoscalers",
      "",
      "shop/api: replicas change in 2 of 2 decisions",
      "  2026-01-01T12:00:00Z  4 -> 4 with 1.37, 4 -> 1 with 1.38",
      "  2026-01-01T12:00:00Z  4 -> 4 with 1.37, 4 -> 1 with 1.38",
      "  From 1.38 on, pods in phase Succeeded are ignored. Before, they counted like other pods.",
      "",
    ].join("\n"),
  );
});

test("--semantics names the release of each record, and takes no failure for a change of replicas", async () => {
  const one = withSucceeded("api");
  const older = recorded({ ...one.input, options: { semantics: "1.36" } }, one.memory);
  const pods = { ok: true, pods: one.input.pods.ok ? one.input.pods.pods.slice(3) : [] } as const;
  const samples = [{ pods: [{ name: "d", containers: { app: { cpu: "500m" } } }] }];
  const hpa = { ...one.input.hpa, metadata: { name: "ended", namespace: "shop" } };
  // By the rules of 1.38 no pod is left: nothing is scaled.
  const failing = recorded({ ...one.input, hpa, pods, samples });
  const path = await file("mixed.jsonl", [older, one, failing].map(encodeRecord).join("\n"));
  const { out } = await replay([path, "--semantics", "1.38"]);
  expect(out.split("\n").filter((line) => line.includes("->"))).toEqual([
    "Kubernetes 1.36, 1.37 -> 1.38: replicas change in 2 of 3 decisions, for 1 of 2 autoscalers",
    "  2026-01-01T12:00:00Z  4 -> 4 with 1.36, 4 -> 1 with 1.38",
    "  2026-01-01T12:00:00Z  4 -> 4 with 1.37, 4 -> 1 with 1.38",
  ]);
});

test("--semantics writes what changes as a document, and ends with 0 if no replicas change", async () => {
  const path = await file("upgrade.json", encodeRecord(withSucceeded("api")));
  const changed = await replay([path, "--semantics", "1.38", "-o", "json"]);
  expect(changed.code).toBe(2);
  expect(schemaErrors("replay.v1", changed.out)).toBeNull();
  expect(JSON.parse(changed.out)).toMatchObject({
    upgrade: {
      from: ["1.37"],
      to: "1.38",
      decisions: 1,
      changed: 1,
      objects: 1,
      changes: [
        {
          object: "shop/api",
          examples: [{ at: "2026-01-01T12:00:00Z", from: "1.37", current: 4, before: 4, after: 1 }],
          why: [expect.stringContaining("Succeeded")],
        },
      ],
    },
  });
  const only = await replay([path, "--from", "1.36", "--semantics", "1.37"]);
  expect(only).toEqual({
    code: 0,
    out:
      "Kubernetes 1.36 -> 1.37: replicas change in 0 of 1 decision, for 0 of 1 autoscaler\n\n" +
      "Only other fields change for 1 autoscaler: status.observedGeneration\n",
    err: "",
  });
});

test("--semantics and --from take the releases that there are", async () => {
  const path = await file("semantics.json", encodeRecord(record("50")));
  expect((await replay([path, "--semantics", "1.2"])).err).toContain(
    "Allowed choices are 1.32, 1.35, 1.36, 1.37, 1.38",
  );
  expect((await replay([path, "--from", "1.36"])).err).toContain("--from needs --semantics");
});
