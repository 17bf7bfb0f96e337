// Objects of a cluster as a bundle may have them: without values of environments, commands and annotations of others.
import { createHash } from "node:crypto";
import { redact } from "@plimsoll/core/redact";

type Json = Readonly<Record<string, unknown>>;

/** Ours, and those by which the API keeps fields of other versions. */
const ownAnnotation =
  /^(?:[\w.-]*\.)?(?:plimsoll\.dev|autoscaling\.kubernetes\.io|autoscaling\.alpha\.kubernetes\.io|autoscaling\.keda\.sh)\//;

/** The same value without what a bundle must not have; strings are redacted. */
export function cleaned(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
      if (key === "metadata") return [[key, cleanedMetadata(inner)]];
      // A volume, an environment, a command or a probe may hold anything; a text of this name is a label.
      if (isObjectOrList(inner) && omitted.has(key)) return [];
      if (isCommand(key) && Array.isArray(inner)) return [];
      if (isObjectOrList(inner) && (key === "env" || key === "httpHeaders")) return [[key, namesOnly(inner)]];
      if (key === "caBundle" && typeof inner === "string") return [[key, fingerprint(inner)]];
      return [[key, cleaned(inner)]];
    }),
  );
}

const omitted = new Set(["envFrom", "data", "stringData", "volumeAttributes", "flexVolume"]);

function isCommand(key: string): boolean {
  return key === "command" || key === "args";
}

function cleanedMetadata(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null) return metadata;
  const { annotations, managedFields, ...others } = metadata as Json;
  return {
    ...(cleaned(others) as Json),
    ...(isObject(annotations) ? { annotations: ownAnnotations(annotations) } : {}),
    ...(Array.isArray(managedFields) ? { managedFields: cleaned(managedFields) } : {}),
  };
}

function ownAnnotations(annotations: Json): Json {
  return Object.fromEntries(
    Object.entries(annotations)
      .filter(([key]) => ownAnnotation.test(key))
      .map(([key, value]) => [key, cleaned(value)]),
  );
}

function namesOnly(env: unknown): unknown {
  if (!Array.isArray(env)) return [];
  return env.map((entry: unknown) => ({ name: isObject(entry) ? entry["name"] : undefined }));
}

function fingerprint(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

function isObjectOrList(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
