// Creates and deletes the pods of workloads.
import type { Clock } from "@plimsoll/component-base";
import { type ObjectStore, timestamp } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Pod } from "./pod.ts";
import { nameSuffix } from "./template-hash.ts";
import { controllerReference, type PodTemplate } from "./workload.ts";

export interface NewPod {
  readonly ownerResource: string;
  readonly owner: StoredObject;
  readonly template: PodTemplate | undefined;
  /** A fixed name; without it one is generated from the owner's. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface PodFactory {
  create(pod: NewPod): void;
  /** Starts a graceful deletion. */
  terminate(pod: Pod): void;
}

const defaultGraceSeconds = 30;

export function createPodFactory(options: {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly nextSerial: () => number;
}): PodFactory {
  const freeName = (owner: StoredObject): string => {
    for (;;) {
      const name = `${owner.metadata.name}-${nameSuffix(owner.metadata.name, options.nextSerial())}`;
      if (options.store.get("pods", owner.metadata.namespace, name) === undefined) return name;
    }
  };
  return {
    create({ ownerResource, owner, template, name, labels }) {
      const { namespace } = owner.metadata;
      options.store.create("pods", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: name ?? freeName(owner),
          ...(name === undefined ? { generateName: `${owner.metadata.name}-` } : {}),
          ...(namespace === undefined ? {} : { namespace }),
          labels: { ...template?.metadata?.labels, ...labels },
          ...(template?.metadata?.annotations === undefined
            ? {}
            : { annotations: template.metadata.annotations }),
          ownerReferences: [controllerReference(ownerResource, owner)],
        },
        spec: {
          restartPolicy: "Always",
          terminationGracePeriodSeconds: defaultGraceSeconds,
          dnsPolicy: "ClusterFirst",
          ...template?.spec,
        },
        status: { phase: "Pending" },
      });
    },
    terminate(pod) {
      const seconds = pod.spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds;
      options.store.update("pods", {
        ...pod,
        metadata: {
          ...pod.metadata,
          deletionTimestamp: timestamp(options.clock.nowMs() + seconds * 1000),
          deletionGracePeriodSeconds: seconds,
        },
      });
    },
  };
}
