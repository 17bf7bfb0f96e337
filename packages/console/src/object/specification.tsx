// The specification from which the newest decision was made.
import { asWritten } from "@plimsoll/core/queries";
import type { ObjectKey } from "@plimsoll/decisions";
import { useMemo } from "preact/hooks";
import { Copy } from "../ui/copy.tsx";
import { Pending } from "../ui/failure.tsx";
import { yamlOf } from "../ui/yaml.ts";
import { useRecord } from "./record.ts";

export function Specification({ object }: { readonly object: ObjectKey }) {
  const record = useRecord(object, undefined);
  const { value } = record.state.value;
  const text = useMemo(() => {
    if (value === undefined) return "";
    const { apiVersion, kind, spec } = value.input.hpa;
    const { name, namespace } = object;
    const written = spec.metrics === undefined ? spec : { ...spec, metrics: spec.metrics?.map(asWritten) };
    return yamlOf({ apiVersion, kind, metadata: { name, namespace }, spec: written });
  }, [value]);
  if (value === undefined) return <Pending of={record} what="The specification" lines={8} />;
  return (
    <section class="panel" aria-labelledby="yaml-title">
      <div class="panel-head">
        <h2 id="yaml-title">Specification</h2>
        <Copy label="copy" text={() => text} />
      </div>
      <p class="note">
        As the decision was made from it: with defaults, and with the bounds that schedules set.
      </p>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
