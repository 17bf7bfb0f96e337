// The kinds of objects that can be converted.
import type { Converter } from "./converter.ts";
import { cronHpaConverter } from "./cronhpa/cronhpa.ts";
import { hpaConverter } from "./hpa/hpa.ts";
import type { SourceObject } from "./source.ts";

const converters: readonly Converter[] = [hpaConverter, cronHpaConverter];

/** The converter of an object's kind, whatever the version. */
export function converterOf({ apiVersion, kind }: SourceObject): Converter | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return converters.find((converter) => converter.group === group && converter.kind === kind);
}

/** For a message: "HorizontalPodAutoscaler (autoscaling)". */
export function convertedKinds(): string {
  return converters.map(({ group, kind }) => `${kind} (${group})`).join(", ");
}
