// The tags of the fields that are read: their numbers in the .proto files of Kubernetes, with how each is written.

/** What an object begins with. */
export const magic = Buffer.from("k8s\0", "latin1");

/** A string, bytes, a message or an entry of a map: has a length. */
const sized = (number: number): number => number * 8 + 2;
/** A number or a boolean. */
const varint = (number: number): number => number * 8;

export const Unknown = { typeMeta: sized(1), raw: sized(2), contentEncoding: sized(3) };
export const TypeMeta = { apiVersion: sized(1), kind: sized(2) };
export const RawExtension = { raw: sized(1) };

export const ListMeta = { resourceVersion: sized(2), continue: sized(3) };
/** Every list has its metadata and items in the same places. */
export const List = { metadata: sized(1), items: sized(2) };
export const ObjectMeta = {
  name: sized(1),
  namespace: sized(3),
  uid: sized(5),
  resourceVersion: sized(6),
  creationTimestamp: sized(8),
  deletionTimestamp: sized(9),
  labels: sized(11),
};
export const Time = { seconds: varint(1) };
export const Duration = { duration: varint(1) };
/** An entry of any map. */
export const Entry = { key: sized(1), value: sized(2) };
export const WatchEvent = { type: sized(1), object: sized(2) };
export const Status = { message: sized(3), reason: sized(4), details: sized(5), code: varint(6) };
export const StatusDetails = { retryAfterSeconds: varint(5) };
export const LabelSelector = { matchLabels: sized(1), matchExpressions: sized(2) };
export const LabelSelectorRequirement = { key: sized(1), operator: sized(2), values: sized(3) };
export const Quantity = { string: sized(1) };

/** What every object has. */
export const AnyObject = { metadata: sized(1) };
export const Pod = { metadata: sized(1), spec: sized(2), status: sized(3) };
export const PodSpec = {
  containers: sized(2),
  hostNetwork: varint(11),
  initContainers: sized(20),
  overhead: sized(32),
  resources: sized(40),
};
export const Container = { name: sized(1), ports: sized(6), resources: sized(8), restartPolicy: sized(24) };
export const ContainerPort = { name: sized(1), containerPort: varint(3) };
export const ResourceRequirements = { requests: sized(2) };
export const PodStatus = {
  phase: sized(1),
  conditions: sized(2),
  podIP: sized(6),
  startTime: sized(7),
  containerStatuses: sized(8),
  initContainerStatuses: sized(10),
};
export const ContainerStatus = { name: sized(1), state: sized(2) };
export const ContainerState = { running: sized(2) };
export const PodCondition = { type: sized(1), status: sized(2), lastTransitionTime: sized(4) };

export const Workload = { metadata: sized(1), spec: sized(2), status: sized(3) };
/** Of a ReplicationController the selector is a map. */
export const WorkloadSpec = { replicas: varint(1), selector: sized(2) };
/** Of Deployments and StatefulSets; the others have it in the first place. */
export const DeploymentStatus = { replicas: varint(2) };
export const ReplicaSetStatus = { replicas: varint(1) };

export const PodMetrics = { metadata: sized(1), timestamp: sized(2), window: sized(3), containers: sized(4) };
export const ContainerMetrics = { name: sized(1), usage: sized(2) };

const meta = "k8s.io.apimachinery.pkg.apis.meta.v1";
const core = "k8s.io.api.core.v1";
const apps = "k8s.io.api.apps.v1";
const usage = "k8s.io.metrics.pkg.apis.metrics.v1beta1";

type Tags = Readonly<Record<string, number>>;

/** Which message each table is of; a test compares them with the .proto files of the pinned modules. */
export const tables: readonly (readonly [message: string, tags: Tags])[] = [
  ["k8s.io.apimachinery.pkg.runtime.Unknown", Unknown],
  ["k8s.io.apimachinery.pkg.runtime.TypeMeta", TypeMeta],
  ["k8s.io.apimachinery.pkg.runtime.RawExtension", RawExtension],
  ["k8s.io.apimachinery.pkg.api.resource.Quantity", Quantity],
  [`${meta}.ListMeta`, ListMeta],
  [`${meta}.ObjectMeta`, ObjectMeta],
  [`${meta}.Time`, Time],
  [`${meta}.Duration`, Duration],
  [`${meta}.WatchEvent`, WatchEvent],
  [`${meta}.Status`, Status],
  [`${meta}.StatusDetails`, StatusDetails],
  [`${meta}.LabelSelector`, LabelSelector],
  [`${meta}.LabelSelectorRequirement`, LabelSelectorRequirement],
  [`${core}.Pod`, Pod],
  [`${core}.PodList`, List],
  [`${core}.PodSpec`, PodSpec],
  [`${core}.Container`, Container],
  [`${core}.ContainerPort`, ContainerPort],
  [`${core}.ResourceRequirements`, ResourceRequirements],
  [`${core}.PodStatus`, PodStatus],
  [`${core}.PodCondition`, PodCondition],
  [`${core}.ContainerStatus`, ContainerStatus],
  [`${core}.ContainerState`, ContainerState],
  [`${core}.Namespace`, AnyObject],
  [`${core}.Node`, AnyObject],
  [`${core}.Service`, AnyObject],
  [`${core}.ReplicationController`, Workload],
  [`${core}.ReplicationControllerList`, List],
  [`${core}.ReplicationControllerSpec`, WorkloadSpec],
  [`${core}.ReplicationControllerStatus`, ReplicaSetStatus],
  [`${apps}.Deployment`, Workload],
  [`${apps}.DeploymentList`, List],
  [`${apps}.DeploymentSpec`, WorkloadSpec],
  [`${apps}.DeploymentStatus`, DeploymentStatus],
  [`${apps}.ReplicaSet`, Workload],
  [`${apps}.ReplicaSetList`, List],
  [`${apps}.ReplicaSetSpec`, WorkloadSpec],
  [`${apps}.ReplicaSetStatus`, ReplicaSetStatus],
  [`${apps}.StatefulSet`, Workload],
  [`${apps}.StatefulSetList`, List],
  [`${apps}.StatefulSetSpec`, WorkloadSpec],
  [`${apps}.StatefulSetStatus`, DeploymentStatus],
  [`${usage}.PodMetricsList`, List],
  [`${usage}.PodMetrics`, PodMetrics],
  [`${usage}.ContainerMetrics`, ContainerMetrics],
];
