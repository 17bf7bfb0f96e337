// Objects of a cluster as a bundle may have them: without values of environments, commands and annotations of others.
import { createHash } from "node:crypto";
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { redact } from "@plimsoll/core/redact";
import { withoutSecrets } from "./secrets.ts";

/** Ours, and those by which the API keeps fields of other versions. */
const ownAnnotation =
  /^(?:[\w.-]*\.)?(?:plimsoll\.dev|autoscaling\.kubernetes\.io|autoscaling\.alpha\.kubernetes\.io|autoscaling\.keda\.sh)\//;

/** Text as a bundle may have it. */
export function cleanedText(text: string): string {
  return redact(withoutSecrets(text));
}

/** The same value without what a bundle must not have; strings are redacted, names of fields too. */
export function cleaned(value: unknown): unknown {
  if (typeof value === "string") return cleanedText(value);
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
      return [[withoutSecrets(key), cleaned(inner)]];
    }),
  );
}

const omitted = new Set(["envFrom", "data", "stringData", "volumeAttributes", "flexVolume"]);

function isCommand(key: string): boolean {
  return key === "command" || key === "args";
}

function cleanedMetadata(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null) return metadata;
  const { annotations, managedFields, ...others } = metadata as Fields;
  return {
    ...(cleaned(others) as Fields),
    ...(isFields(annotations) ? { annotations: ownAnnotations(annotations) } : {}),
    ...(Array.isArray(managedFields) ? { managedFields: cleaned(managedFields) } : {}),
  };
}

function ownAnnotations(annotations: Fields): Fields {
  return Object.fromEntries(
    Object.entries(annotations)
      .filter(([key]) => ownAnnotation.test(key))
      .map(([key, value]) => [withoutSecrets(key), cleaned(value)]),
  );
}

function namesOnly(env: unknown): unknown {
  if (!Array.isArray(env)) return [];
  return env.map((entry: unknown) => ({ name: isFields(entry) ? cleaned(entry["name"]) : undefined }));
}

function fingerprint(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

function isObjectOrList(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
