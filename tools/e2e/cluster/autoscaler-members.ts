// The autoscalers that the manifests are tried with.
import {
  type Autoscaler,
  compileConfig,
  createAutoscaler,
  type Logger,
  readCommandLine,
} from "@plimsoll/autoscaler";
import { systemClock } from "@plimsoll/component-base";
import { connect, type KubeClient } from "@plimsoll/kube";
import { runToEnd } from "@plimsoll/testbed";
import type { Track } from "./track.ts";

export interface MemberAccess {
  readonly kubeconfig: string;
  /** The token of a user who may read everything. */
  readonly reader: string;
  /** A kubeconfig with the client certificate of such a user. */
  readonly administrator: string;
}

interface Running {
  readonly autoscaler: Autoscaler;
  readonly port: number;
  /** By what the callers who may read decisions, and get none, identify themselves. */
  refusedReaders(): Promise<readonly string[]>;
  /** What the log complains of, as names of probes. */
  complaints(): readonly string[];
  stop(): Promise<void>;
}

/** Many retries for a lease. */
const leaseComplaintMs = 5000;

/** Evaluates often, and reports what it is refused. */
export async function startAutoscaler(
  { kubeconfig, reader, administrator }: MemberAccess,
  track: Pick<Track, "namespace"> & { readonly between?: (client: KubeClient) => KubeClient },
  flags: readonly string[],
): Promise<Running> {
  const compiled = compileConfig(
    readCommandLine([
      "--manage-hpas=all",
      `--namespace=${track.namespace}`,
      "--horizontal-pod-autoscaler-sync-period=500ms",
      "--horizontal-pod-autoscaler-downscale-stabilization=0s",
      "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
      "--horizontal-pod-autoscaler-initial-readiness-delay=0s",
      "--leader-elect-lease-duration=2s",
      "--leader-elect-renew-deadline=1500ms",
      "--leader-elect-retry-period=300ms",
      "--leader-elect-resource-namespace=plimsoll",
      "--port=0",
      "--secure-port=0",
      ...flags,
    ]),
  );
  if (!compiled.ok) throw new Error(compiled.problems.join("; "));
  const complaints = new Set<string>();
  let leaseFailedAtMs = Number.NEGATIVE_INFINITY;
  const listen = (fields: object, message: string): void => {
    const { resource } = fields as { readonly resource?: string };
    if (message.startsWith("watch failed")) complaints.add(`follows ${resource ?? "?"}`);
    if (message.startsWith("coordination failed")) leaseFailedAtMs = performance.now();
  };
  const log: Logger = { debug: () => {}, info: () => {}, warn: listen, error: listen };
  const client = await connect({ kubeconfig, userAgent: "plimsoll-e2e" });
  const autoscaler = createAutoscaler(compiled.config, {
    client: track.between?.(client) ?? client,
    clock: systemClock,
    log,
    identity: `member-${track.namespace}`,
  });
  const { port, securePort } = await autoscaler.start();
  const url = `https://localhost:${securePort}`;
  const path = "/apis/decisions/v1";
  const requests = {
    token: ["curl", "-skf", "-H", `Authorization: Bearer ${reader}`, `${url}${path}`],
    certificate: [
      "kubectl",
      `--kubeconfig=${administrator}`,
      `--server=${url}`,
      "--insecure-skip-tls-verify",
      "get",
      `--raw=${path}`,
    ],
  };
  const refused = new Map(Object.entries(requests));
  return {
    autoscaler,
    port,
    async refusedReaders() {
      for (const [means, [command = "", ...args]] of refused)
        if ((await runToEnd(command, args)).code === 0) refused.delete(means);
      return [...refused.keys()];
    },
    // Without the right each retry fails; one late answer of a busy server is another matter, and passes.
    complaints: () => [
      ...complaints,
      ...(performance.now() - leaseFailedAtMs < leaseComplaintMs ? ["keeps its lease"] : []),
    ],
    async stop() {
      await autoscaler.stop();
      await client.close();
    },
  };
}

/** A member with nothing to evaluate, beside one that is gone. */
export async function startSharing(access: MemberAccess, client: KubeClient, track: Track, name: string) {
  const leases = "/apis/coordination.k8s.io/v1/namespaces/plimsoll/leases";
  const ghost = `${name}-member-ghost`;
  await client.request({
    method: "POST",
    path: leases,
    body: {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: ghost, labels: { "coordination.plimsoll.dev/group": name } },
      spec: { holderIdentity: "ghost", leaseDurationSeconds: 1 },
    },
  });
  const member = await startAutoscaler(access, { ...track, namespace: "kube-public" }, [
    "--shards=2",
    `--leader-elect-resource-name=${name}`,
  ]);
  let hasHeldAll = false;
  return {
    stop: member.stop,
    async failing(): Promise<readonly string[]> {
      const metrics = await (await fetch(`http://127.0.0.1:${member.port}/metrics`)).text();
      hasHeldAll ||= /^plimsoll_shards_owned 2$/m.test(metrics);
      const isCollected = await client.request({ path: `${leases}/${ghost}` }).then(
        () => false,
        () => true,
      );
      return [
        ...(hasHeldAll ? [] : ["holds all slots"]),
        ...(isCollected ? [] : ["collects a member that is gone"]),
        ...(member.complaints().includes("keeps its lease") ? ["keeps its slots"] : []),
      ];
    },
  };
}
