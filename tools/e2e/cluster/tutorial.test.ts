// Tutorials with the files of a release alone, on a real control plane: both ways of the first, and the take-overs.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  namesIn,
  type PodImage,
  type PodImages,
  programImage,
  prometheusProgram,
  unpackImage,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, expect, inject, onTestFailed, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { releaseLimitMs, sharedRelease, tutorialArchive, tutorialClone } from "../test/released.ts";
import { type Material, openTutorial } from "../test/tutorial-page.ts";
import { builtInHpa } from "./fixture.ts";
import { type OperatorsCluster, onThisMachine, operatorsCluster } from "./operator.ts";

const folder = fileFolder();
/** What `kind load` brought to the only node. */
const node = join(folder, "node");

let release: string;
beforeAll(async () => {
  release = await sharedRelease();
  mkdirSync(node);
}, releaseLimitMs);

async function emptyCluster(images?: PodImages): Promise<OperatorsCluster> {
  const cluster = await operatorsCluster({ workloads: "", loads: [], ...(images && { images }) });
  onTestFinished(() => cluster.stop());
  onTestFailed(() => {
    const logs = [...cluster.logs()].map(([name, lines]) => [name, ...lines.slice(-5)].join("\n"));
    console.log([...logs, ...cluster.troubles.slice(-10).map(String)].join("\n\n"));
  });
  return cluster;
}

test.each([
  [
    "tutorial.md",
    ['"value":"90"', "  * queue_messages (External)   90      30 each  1             3  decides"],
  ],
  // What is taken over is up to the API server: APIServices, definitions, deletions.
  ["tutorial-prometheus-adapter.md", ['deployment.apps "prometheus-adapter" deleted']],
  ["tutorial-keda.md", ['scaledobject.keda.sh "order-worker" deleted']],
  ["tutorial-cronhpa.md", ["cron hpa job now executed successfully."]],
])("%s works on a real control plane in the place of the sandbox", async (name, prints) => {
  const cluster = await emptyCluster();
  const archive = tutorialArchive(release, join(folder, "git"));
  const material: Material = {
    ...archive,
    instead: (block, place) => {
      if (!/^(?:\.\/)?sandbox /.test(block)) return undefined;
      copyFileSync(cluster.kubeconfig, join(place, basename(name, ".md"), "kubeconfig"));
      return Promise.resolve();
    },
  };
  const page = await openTutorial(name, material);
  onTestFinished(() => page.close());
  const all = await page.carryOut();
  for (const text of prints) expect(all).toContain(text);
});

/** The images on the node, and this machine's Prometheus in the place of its image. */
const images: PodImages = (name) => {
  if (name.startsWith("prom/prometheus:"))
    return programImage(prometheusProgram(), "Server is ready to receive web requests");
  return name.startsWith("ghcr.io/plimsoll/") ? loadedImage(name) : undefined;
};

const unpacked = new Map<string, PodImage>();

/** Unpacked when its first container starts. */
function loadedImage(name: string): PodImage {
  const get = (): PodImage => {
    const archives = readdirSync(node).map((file) => join(node, file));
    const archive = archives.find((one) => namesIn(one).includes(name));
    if (archive === undefined) throw new Error(`${name} is not on the node`);
    const image = unpacked.get(name) ?? unpackImage(archive, join(folder, "unpacked", basename(archive)));
    unpacked.set(name, image);
    return image;
  };
  return {
    ready: '"serving"',
    inside: (pid) => get().inside?.(pid) ?? pid,
    commandFor: (container) => get().commandFor(container),
  };
}

test("the tutorial in a cluster works in a clone with the released chart and images", async () => {
  const cluster = await emptyCluster(images);
  await cluster.startControllerManager(builtInHpa([]));
  const material: Material = {
    ...tutorialClone(programsFor(cluster)),
    variables: { KUBECONFIG: cluster.kubeconfig },
  };
  const page = await openTutorial("tutorial-cluster.md", material);
  onTestFinished(() => page.close());
  const all = await page.carryOut();
  expect(all).toContain('"value":"90"');
  // Which of two decisions it shows depends on the moment.
  const row = /^ {2}\* queue_messages \(External\) +90 +30 each +[13] +3 {2}decides$/m;
  expect(page.text).toMatch(row);
  expect(all).toMatch(row);
  const left = await cluster.kubectl("get", "crd,apiservice,clusterrole,namespace", "-o", "name");
  expect(left.split("\n").filter((name) => /plimsoll|tutorial/.test(name))).toEqual([]);
});

/** helm with the values that let pods be processes of this machine, a kind whose node is a folder, and an npm. */
function programsFor(cluster: OperatorsCluster): string {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const { adapter, autoscaler } = onThisMachine("http://127.0.0.1:9090");
  const { env, extraArguments, service } = adapter;
  const values = join(bin, "machine.yaml");
  writeFileSync(values, stringify({ adapter: { env, extraArguments, service }, autoscaler }));
  const { helm } = inject("deployTools");
  const exports = Object.entries(cluster.helmEnvironment).map(([key, value]) => `export ${key}="${value}"`);
  // The release that the page makes is there already.
  const makesRelease = '[ "$*" = "run release -- --dry-run --out release" ]';
  const scripts = {
    helm: `${exports.join("\n")}\nif [ "$1" = install ]; then exec "${helm}" "$@" -f "${values}"; fi\nexec "${helm}" "$@"`,
    kind: `[ "$1 $2" = "load image-archive" ] && exec cp "$3" "${node}/"\nexit 1`,
    npm: `${makesRelease} && exec ln -s "${release}" release\nPATH="${process.env["PATH"] ?? ""}" exec npm "$@"`,
  };
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return bin;
}
