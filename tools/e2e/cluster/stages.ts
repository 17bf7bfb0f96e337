import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeClient, KubeObject, RestMapper } from "@plimsoll/kube";
import type { LoadModel, ObjectStore, WorkloadLoad } from "@plimsoll/sandbox";
import {
  applyManifests,
  deployment,
  type Kubectl,
  parseManifests,
  prometheusProgram,
  startStack,
} from "@plimsoll/testbed";
import { gaugeRules, quickPipeline, realKubectl, shipped, temporaryCluster } from "./fixture.ts";

/** Pods under load, and metrics of them, to try autoscalers on; what passes on one passes on the other. */
export interface Stage {
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  readonly store: Pick<ObjectStore, "get" | "list" | "subscribe">;
  readonly load: LoadModel;
  readonly kubectl: Kubectl;
  /** Brings the objects of YAML texts to the cluster. */
  apply(...manifests: readonly string[]): Promise<void>;
  /**
   * A kubeconfig file for an autoscaler with a name of its own in `writes`, and the rights of the manifest; with "shards" those of
   * that component, too.
   */
  kubeconfigForAutoscaler(user: string, component?: "shards"): Promise<string>;
  /** Writes of scales so far, in order; refused ones are left out where the server reports them. */
  scaleWrites(): readonly ScaleWrite[];
  /** Ends the API server at once and starts it again after a while. */
  killApiServer(downMs: number): Promise<void>;
  /** What went wrong in the stand-ins for kubelets. */
  readonly troubles: readonly unknown[];
  stop(): Promise<void>;
}

export interface ScaleWrite {
  readonly atMs: number;
  readonly user: string;
  readonly name: string;
}

export interface StageOptions {
  readonly loads: readonly WorkloadLoad[];
  /** YAML. */
  readonly workloads: string;
  /** Of the adapter, beside the usual ones. */
  readonly adapterArgs?: readonly string[];
}

const rights = "autoscaler-rbac.yaml";

/** For describe.each: the name of each kind of cluster, and what starts one. */
export const stages: readonly (readonly [name: string, start: (input: StageOptions) => Promise<Stage>])[] = [
  ["kube-apiserver", onKubeApiServer],
  ["the sandbox", onSandbox],
];

async function onKubeApiServer(options: StageOptions): Promise<Stage> {
  const { stack, kubectl, troubles, stop } = await temporaryCluster({ ...options, audit: true });
  const { client, mapper, store, load, apply } = stack;
  return {
    client,
    mapper,
    store,
    load,
    kubectl,
    apply,
    async kubeconfigForAutoscaler(user, component) {
      await applyManifests(stack, bindingsFor(user, parseManifests(deployment(rights))));
      if (component !== undefined) {
        const objects = parseManifests(shipped(`kustomize/components/${component}/rbac.yaml`));
        await applyManifests(stack, [...objects, ...bindingsFor(user, objects)]);
      }
      return stack.kubeconfigForUser(user, []);
    },
    scaleWrites: () =>
      stack
        .audited()
        .filter(({ verb, resource, code }) => verb === "update" && resource.endsWith("/scale") && code < 300),
    killApiServer: (downMs) => stack.restartApiServer({ graceMs: 0, downMs }),
    troubles,
    stop,
  };
}

async function onSandbox(options: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-stage-"));
  const writes: ScaleWrite[] = [];
  const workloads = join(folder, "workloads.yaml");
  writeFileSync(workloads, options.workloads);
  try {
    const stack = await startStack({
      rules: gaugeRules,
      ...quickPipeline,
      adapterArgs: [...quickPipeline.adapterArgs, ...(options.adapterArgs ?? [])],
      loads: options.loads,
      folder,
      workloads,
      prometheus: prometheusProgram(),
      sandbox: {
        authorize({ user, verb, resource }) {
          if (verb === "update" && resource?.subresource === "scale")
            writes.push({ atMs: Date.now(), user: user.username, name: resource.name });
          return undefined;
        },
      },
    });
    const { client, mapper, store, load } = stack;
    const apply = async (...manifests: readonly string[]) => {
      for (const text of manifests) await applyManifests(stack, parseManifests(text));
    };
    return {
      client,
      mapper,
      store,
      load,
      kubectl: realKubectl(stack.kubeconfig),
      apply,
      async kubeconfigForAutoscaler(user) {
        const file = join(folder, `${user}.kubeconfig`);
        writeFileSync(file, stack.address.kubeconfigFor(user, []), { mode: 0o600 });
        return file;
      },
      scaleWrites: () => writes,
      killApiServer: stack.restartApiServer,
      troubles: [],
      async stop() {
        await stack.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

type Binding = KubeObject & { readonly subjects?: readonly object[] };

/** The bindings of the autoscaler's service account, for a user. */
function bindingsFor(user: string, objects: readonly Binding[]): readonly Binding[] {
  return objects
    .filter(({ subjects }) => subjects !== undefined)
    .map((binding) => ({
      ...binding,
      metadata: { ...binding.metadata, name: `${binding.metadata.name}-${user}` },
      subjects: [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }],
    }));
}
