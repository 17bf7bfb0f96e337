// The usage of pods in protobuf, as metrics-server sends it to a client that accepts it.
import { varint, writeEnvelope, writeMessage, writePodMetrics } from "@plimsoll/kube/protobuf/testing";

interface UsageItem {
  readonly metadata: { readonly name: string };
  readonly timestamp: string;
}

/** Of every item. */
const windowNs = 30e9;
const type = { apiVersion: "metrics.k8s.io/v1beta1", kind: "PodMetricsList" };

/** What was written last of the pods of one response, beside their timestamp: this process leaves the core to the other. */
const known = new Map<string, { readonly usage: string; readonly items: readonly Buffer[] }>();

/** The same list in protobuf; all of its items have one timestamp. */
export function usageBytes(json: string): Buffer {
  const [, at = "1970-01-01T00:00:00Z"] = /"timestamp":"([^"]+)"/.exec(json) ?? [];
  const timestamp = timestampBytes(at);
  const usage = json.replaceAll(at, "");
  const [key = ""] = /"name":"[^"]+","namespace":"[^"]+"/.exec(json) ?? [];
  let last = known.get(key);
  if (last?.usage !== usage) {
    const { items } = JSON.parse(json) as { readonly items: readonly UsageItem[] };
    last = { usage, items: items.map((item) => itemBytes(item, timestamp.length)) };
    known.set(key, last);
  }
  const parts = last.items.flatMap((item) => [item, timestamp]);
  return writeEnvelope(type, Buffer.concat([writeMessage([[1, []]]), ...parts]));
}

/** Field 2 of an item. */
function timestampBytes(at: string): Buffer {
  const seconds = Math.trunc(Date.parse(at) / 1000);
  return writeMessage([
    [
      2,
      [
        [1, seconds],
        [2, 0],
      ],
    ],
  ]);
}

/** An item without its timestamp, for which it has room. */
function itemBytes(item: UsageItem, more: number): Buffer {
  const fields = writeMessage(writePodMetrics({ ...item }, windowNs).filter(([number]) => number !== 2));
  return Buffer.concat([Buffer.from([2 * 8 + 2]), varint(fields.length + more), fields]);
}
