// The usage of pods in protobuf, as metrics-server sends it to a client that accepts it.
import { varint, writeEnvelope, writeMessage, writePodMetrics } from "@plimsoll/kube-protobuf/testing";

/** One item of a response in JSON. */
export interface UsageItem {
  readonly metadata: { readonly name: string };
  readonly timestamp: string;
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

const windowNs = 30e9;
const type = { apiVersion: "metrics.k8s.io/v1beta1", kind: "PodMetricsList" };

/** What is in an item beside its timestamp, by pod and usage: made once, as the server is not what is measured. */
const known = new Map<string, Buffer>();

export function usageBytes(items: readonly UsageItem[]): Buffer {
  const seconds = Math.trunc(Date.parse(items[0]?.timestamp ?? "1970-01-01T00:00:00Z") / 1000);
  const timestamp = writeMessage([
    [
      2,
      [
        [1, seconds],
        [2, 0],
      ],
    ],
  ]);
  const parts = items.flatMap((item) => [itemBytes(item, timestamp.length), timestamp]);
  return writeEnvelope(type, Buffer.concat([writeMessage([[1, []]]), ...parts]));
}

function itemBytes(item: UsageItem, more: number): Buffer {
  const key = `${item.metadata.name} ${item.containers[0]?.usage["cpu"] ?? ""}`;
  let bytes = known.get(key);
  if (bytes === undefined) {
    const { timestamp: _, ...rest } = item;
    const fields = writeMessage(writePodMetrics(rest, windowNs).filter(([number]) => number !== 2));
    bytes = Buffer.concat([Buffer.from([2 * 8 + 2]), varint(fields.length + more), fields]);
    known.set(key, bytes);
  }
  return bytes;
}
