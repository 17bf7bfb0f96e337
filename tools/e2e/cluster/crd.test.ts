import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "@plimsoll/kube";
import { until } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { tunable, tunedPatches } from "../test/tuned.ts";
import { shipped, temporaryApiServer } from "./fixture.ts";
import { invalid } from "./invalid-specs.ts";
import { type Fields, onFailure, scaleTargetRef, valid } from "./valid-specs.ts";

const file = "crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml";
const path = "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/default/workloadautoscalers";

let server: Awaited<ReturnType<typeof temporaryApiServer>>;

beforeAll(async () => {
  server = await temporaryApiServer();
  await server.client.request({
    method: "PATCH",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/workloadautoscalers.autoscaling.plimsoll.dev",
    query: { fieldManager: "plimsoll-e2e" },
    contentType: "application/apply-patch+yaml",
    body: parse(shipped(file)),
  });
  await until("WorkloadAutoscalers to be served", async () => {
    await server.client.request({ path });
    return true;
  });
});

afterAll(() => server?.stop());

describe("kube-apiserver", () => {
  test.each(valid)("takes %s", async (_, spec) => {
    await expect(tryOut(spec)).resolves.toMatchObject({ kind: "WorkloadAutoscaler" });
  });

  test.each(invalid)("refuses %s, and says why", async (_, spec, message) => {
    const refused = tryOut(spec);
    await expect(refused).rejects.toBeInstanceOf(ApiError);
    await expect(refused).rejects.toThrow(message);
  });

  test("fills in what is left out", async () => {
    await expect(tryOut(onFailure({}))).resolves.toMatchObject({
      spec: { minReplicas: 1, mode: "Active", metrics: [{ onMetricFailure: { policy: "Block" } }] },
    });
  });
});

describe("kubectl", () => {
  test("explains the fields", async () => {
    const text = await until("its fields in OpenAPI", () =>
      server.kubectl("explain", "wla.spec.metrics.onMetricFailure"),
    );
    expect(text).toMatch(
      /GROUP:\s+autoscaling\.plimsoll\.dev\nKIND:\s+WorkloadAutoscaler\nVERSION:\s+v1alpha1/,
    );
    expect(text).toContain("What to do while the metric can't be read.");
    expect(text).toMatch(/forSeconds\s+<integer>\n\s+HoldLast: how long to use the last samples\./);
    expect(text).toMatch(/policy\s+<string>\n\s+enum: Block, HoldLast, /);
    const all = await server.kubectl("explain", "workloadautoscalers", "--recursive");
    for (const field of ["scaleTargetRef", "tuning", "syncPeriodSeconds", "pause", "until", "behavior"])
      expect(all).toMatch(new RegExp(`^\\s+${field}\\s+<`, "m"));
  });

  test("prints the columns of the definition, under the short name and among all", async () => {
    await server.client.request({ method: "POST", path, body: bodyOf({}) });
    const { spec } = parse(shipped(file)) as {
      readonly spec: {
        readonly versions: readonly {
          additionalPrinterColumns: readonly { name: string; priority?: number }[];
        }[];
      };
    };
    const columns = (spec.versions[0]?.additionalPrinterColumns ?? [])
      .filter(({ priority = 0 }) => priority === 0)
      .map(({ name }) => name.toUpperCase());
    const [header = "", row = ""] = (await server.kubectl("get", "wla")).split("\n");
    expect(header.trim().split(/\s{2,}/)).toEqual(["NAME", ...columns]);
    expect(row).toMatch(/^shop\s+shop\s+1\s+10\s+Active\s/);
    expect(await server.kubectl("get", "all")).toContain("workloadautoscaler.autoscaling.plimsoll.dev/shop");
  });

  test("keeps status and spec apart", async () => {
    const status = { currentReplicas: 3, desiredReplicas: 4 };
    const change = (at: string, body: object) =>
      server.client.request({
        method: "PATCH",
        path: at,
        contentType: "application/merge-patch+json",
        body,
      });
    await expect(change(`${path}/shop`, { status })).resolves.not.toHaveProperty("status");
    await expect(change(`${path}/shop/status`, { status, spec: { maxReplicas: 99 } })).resolves.toMatchObject(
      {
        metadata: { generation: 1 },
        spec: { maxReplicas: 10 },
        status,
      },
    );
    await expect(change(`${path}/shop`, { spec: { maxReplicas: 12 } })).resolves.toMatchObject({
      metadata: { generation: 2 },
      status,
    });
  });
});

describe("patches of tune, in kubectl", () => {
  const folder = fileFolder();
  test.each([
    ["a merge patch of a HorizontalPodAutoscaler", false],
    ["a WorkloadAutoscaler in place of it, where schedules are in it", true],
  ])("%s is accepted", async (_, floors) => {
    const object = tunable("HorizontalPodAutoscaler");
    const into = mkdtempSync(join(folder, "tune-"));
    const manifest = join(into, "hpa.json");
    writeFileSync(manifest, JSON.stringify(object));
    await server.kubectl("apply", "-f", manifest);
    const patches = await tunedPatches(object, { folder: into, floors });
    expect(patches.length).toBeGreaterThan(0);
    for (const { file } of patches) {
      const args = floors
        ? ["apply", "-f", file]
        : ["patch", "hpa", "shop", "-n", "default", "--type=merge", `--patch-file=${file}`];
      const shown = await server.kubectl(...args, "--dry-run=server", "-o", "yaml");
      expect(shown).toContain(floors ? "schedules:" : 'averageValue: "80"');
    }
  });
});

function bodyOf(spec: Fields) {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop" },
    spec: { scaleTargetRef, maxReplicas: 10, ...spec },
  };
}

function tryOut(spec: Fields): Promise<unknown> {
  const query = { dryRun: "All", fieldValidation: "Strict" };
  return server.client.request({ method: "POST", path, query, body: bodyOf(spec) });
}
