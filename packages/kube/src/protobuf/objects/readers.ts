// Which kinds are read from protobuf.
import type { KindReader } from "../envelope.ts";
import { type ReadObject, readAnyObject } from "./metadata.ts";
import { readPod } from "./pod.ts";
import { readDeployment, readReplicaSet, readReplicationController } from "./workload.ts";

/** The fields of a pod that scaling depends on. */
export const podReader = { apiVersion: "v1", kind: "Pod", read: readPod };

/** What a workload's scale shows, and its metadata. */
const workloadReaders: Readonly<Record<string, KindReader<ReadObject>>> = {
  "deployments.apps": { apiVersion: "apps/v1", kind: "Deployment", read: readDeployment },
  "statefulsets.apps": { apiVersion: "apps/v1", kind: "StatefulSet", read: readDeployment },
  "replicasets.apps": { apiVersion: "apps/v1", kind: "ReplicaSet", read: readReplicaSet },
  "replicationcontrollers.": {
    apiVersion: "v1",
    kind: "ReplicationController",
    read: readReplicationController,
  },
};

interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Undefined where the kind has no scale that is known here, or is a custom one, which servers send as JSON only. */
export function workloadReaderOf({ group, version, resource }: Resource): KindReader<ReadObject> | undefined {
  return version === "v1" ? workloadReaders[`${resource}.${group}`] : undefined;
}

/** Reads the metadata alone, which all kinds have in the same place. */
export function metadataReader(apiVersion: string, kind: string): KindReader<ReadObject> {
  return { apiVersion, kind, read: readAnyObject };
}
