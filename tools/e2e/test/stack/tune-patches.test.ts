// What `plimsoll tune` writes, through the real kubectl: each patch is accepted.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, createRestMapper } from "@plimsoll/kube";
import { createSandbox, type Sandbox } from "@plimsoll/sandbox";
import { applyManifests, findKubectl, type Kubectl, parseManifests } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { local } from "../fixture.ts";
import { tunable, tunedPatches } from "../tuned.ts";

// kubectl is the user's own program, and nothing here can bring it along.
const isMissing = findKubectl("") === undefined;

describe.skipIf(isMissing)("patches of tune, in a user's kubectl", () => {
  const folder = fileFolder();
  let sandbox: Sandbox;
  let kubectl: Kubectl;

  beforeAll(async () => {
    sandbox = createSandbox();
    const { kubeconfig } = await sandbox.start();
    const file = join(folder, "kubeconfig");
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    const found = findKubectl(file);
    if (found === undefined) throw new Error("kubectl went away");
    kubectl = found;
    const client = await connect({ kubeconfig: file, userAgent: "plimsoll-e2e" });
    const apply = (text: string) =>
      applyManifests({ client, mapper: createRestMapper({ client }) }, parseManifests(text));
    await apply(
      readFileSync(local("../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"), "utf8"),
    );
    await apply(JSON.stringify(tunable("HorizontalPodAutoscaler")));
    await apply(JSON.stringify(tunable("WorkloadAutoscaler")));
    await client.close();
  });
  afterAll(async () => {
    await sandbox?.stop();
  });

  const inFolder = (name: string): string => mkdtempSync(join(folder, name));

  test.each([
    ["HorizontalPodAutoscaler", "hpa", false],
    ["WorkloadAutoscaler", "wla", true],
  ] as const)("a merge patch of a %s", async (kind, short, floors) => {
    const patches = await tunedPatches(tunable(kind), { folder: inFolder(short), floors });
    expect(patches.length).toBeGreaterThan(0);
    for (const { file, text } of patches) {
      expect(text).toContain(`# kubectl patch ${short} shop -n default --type=merge --patch-file=${file}\n`);
      const args = [short, "shop", "-n", "default", "--type=merge", `--patch-file=${file}`];
      expect(await kubectl("patch", ...args, "--dry-run=server", "-o", "yaml")).toContain(
        'averageValue: "80"',
      );
    }
  });

  test("a WorkloadAutoscaler in place of a HorizontalPodAutoscaler, where schedules are in it", async () => {
    const object = tunable("HorizontalPodAutoscaler");
    const patches = await tunedPatches(object, { folder: inFolder("floors"), floors: true });
    const manifests = patches.filter(({ text }) => text.includes("kind: WorkloadAutoscaler"));
    expect(manifests.length).toBeGreaterThan(0);
    for (const { file, text } of manifests) {
      expect(text).toContain(`# kubectl apply -f ${file}\n`);
      const shown = await kubectl("apply", "--dry-run=server", "-o", "yaml", "-f", file);
      expect(shown).toContain("schedules:");
    }
  });
});
