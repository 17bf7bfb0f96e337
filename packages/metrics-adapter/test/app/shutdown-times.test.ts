import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { drainMs, podShutdownDelayMs } from "../../src/app/shutdown-times.ts";

const deploy = new URL("../../../../deploy/", import.meta.url);
/** For releasing the rest, and for the signal to arrive. */
const marginMs = 5_000;
const kubernetesDefault = 30;
const neededSeconds = (podShutdownDelayMs + drainMs + marginMs) / 1000;

async function documents(file: string): Promise<readonly unknown[]> {
  const text = await readFile(new URL(file, deploy), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as unknown);
}

test("the chart gives a pod the time that it takes to end", async () => {
  const [values] = await documents("chart/plimsoll/values.yaml");
  expect(values).toMatchObject({ adapter: { terminationGracePeriodSeconds: neededSeconds } });
});

test("the manifests give a pod the time that it takes to end", async () => {
  const files = (await readdir(new URL("kustomize/base/", deploy))).filter((file) => file.endsWith(".yaml"));
  const all = (await Promise.all(files.map((file) => documents(`kustomize/base/${file}`)))).flat();
  const pods = all.flatMap((object) => {
    const { kind, spec } = object as { kind?: string; spec?: { template?: { spec?: PodSpec } } };
    return kind === "Deployment" && spec?.template?.spec !== undefined ? [spec.template.spec] : [];
  });
  expect(pods.length).toBeGreaterThan(0);
  for (const { terminationGracePeriodSeconds } of pods) {
    expect(terminationGracePeriodSeconds ?? kubernetesDefault).toBeGreaterThanOrEqual(neededSeconds);
  }
});

interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
}
