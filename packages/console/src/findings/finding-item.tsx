// One finding: what is wrong, what shows it, and what to do about it.
import type { Finding } from "@plimsoll/doctor";
import { Link } from "../context/link.tsx";
import { objectRoute } from "../context/route.ts";
import { Copy } from "../ui/copy.tsx";

const signs = { error: "✕", warn: "▲", info: "i" } as const;

export function FindingItem({
  finding,
  hasObject,
}: {
  readonly finding: Finding;
  readonly hasObject: boolean;
}) {
  const { id, severity, title, evidence, fix, command, object } = finding;
  return (
    <li class={`finding ${severity}`}>
      <p class="finding-title">
        <span class={`severity ${severity}`}>
          <span aria-hidden="true">{signs[severity]} </span>
          {severity}
        </span>
        <b>{title}</b>
        <span class="muted">{id}</span>
      </p>
      {hasObject ? (
        <p class="finding-object">
          <ObjectName object={object} />
        </p>
      ) : null}
      <ul class="evidence">
        {evidence.map(({ what, value, from }) => (
          <li key={`${what} ${from}`} title={from}>
            {what}: <b>{value}</b> <span class="muted">{from}</span>
          </li>
        ))}
      </ul>
      <p class="fix">→ {fix}</p>
      {command === undefined ? null : (
        <p class="command">
          <code>{command}</code>
          <Copy label="copy" class="button quiet" text={() => command} />
        </p>
      )}
    </li>
  );
}

function ObjectName({ object }: { readonly object: Finding["object"] }) {
  const { resource, namespace, name, kind } = object;
  const text = namespace === "" ? `${kind} ${name}` : `${namespace}/${name}`;
  if (resource !== "horizontalpodautoscalers" && resource !== "workloadautoscalers") return <>{text}</>;
  return <Link to={objectRoute({ resource, namespace, name })}>{text}</Link>;
}
