// An object without decisions: why there are none, and where a reader may have wanted to go.
import { keyOf, type ObjectKey } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { kindNames, objectRoute, pageRoute } from "../context/route.ts";
import type { Failure } from "../data/client.ts";
import { ErrorPanel } from "../ui/states.tsx";
import { useIsUnknown } from "./decisions-pending.tsx";

export function Missing({ object, failure }: { readonly object: ObjectKey; readonly failure: Failure }) {
  const { fleet } = useConsole();
  const { namespace, name, resource } = object;
  const others = [...fleet.data.value.rows.values()].filter((row) => row.name === name).slice(0, 5);
  const what = `${kindNames[resource]} "${name}"`;
  const isUnknown = useIsUnknown(object);
  return (
    <ErrorPanel
      title={isUnknown ? `${what} not found in namespace ${namespace}` : `No decision about ${what} yet`}
      message={failure.message}
      hint="A new autoscaler appears after its first decision. Check the name and the namespace."
    >
      <p class="links">
        {others.map((row) => (
          <Link key={keyOf(row)} to={objectRoute(row)}>
            {kindNames[row.resource]} {row.namespace}/{row.name}
          </Link>
        ))}
        <Link to={pageRoute("fleet", { ns: namespace })}>All autoscalers in {namespace}</Link>
      </p>
    </ErrorPanel>
  );
}
