// The kinds of objects that can be converted.
import type { SourceObject } from "../manifests/source.ts";
import type { Converter } from "./converter.ts";
import { cronHpaConverter } from "./cronhpa/cronhpa.ts";
import { hpaConverter } from "./hpa/hpa.ts";
import { scaledObjectConverter } from "./keda/scaled-object.ts";
import { scalingScheduleConverters } from "./zalando/schedule-converter.ts";

const converters: readonly Converter[] = [
  hpaConverter,
  cronHpaConverter,
  scaledObjectConverter,
  ...scalingScheduleConverters,
];

/** The converter of an object's kind, whatever the version. */
export function converterOf({ apiVersion, kind }: SourceObject): Converter | undefined {
  const group = groupOf(apiVersion);
  return converters.find((converter) => converter.group === group && converter.kind === kind);
}

/** For a message: "HorizontalPodAutoscaler (autoscaling)". */
export function convertedKinds(): string {
  return converters.map(({ group, kind }) => `${kind} (${group})`).join(", ");
}

/** What to do about objects that belong to one that is converted. */
const others: Readonly<Record<string, string>> = {
  "keda.sh/ScaledJob": "Plimsoll starts no Jobs: keep KEDA for it",
  "keda.sh/TriggerAuthentication":
    "add its credentials to the source in --sources-config, with the Secret mounted as files",
  "keda.sh/ClusterTriggerAuthentication":
    "add its credentials to the source in --sources-config, with the Secret mounted as files",
};

/** For an object without a converter; undefined where there is nothing to say of its kind. */
export function remedyOf({ apiVersion, kind }: SourceObject): string | undefined {
  const name = `${groupOf(apiVersion)}/${kind}`;
  return Object.hasOwn(others, name) ? others[name] : undefined;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
