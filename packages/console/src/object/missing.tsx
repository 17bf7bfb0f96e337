// An object without decisions: why there are none, and where a reader may have wanted to go.
import { keyOf, type ObjectKey } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { kindNames, objectRoute, pageRoute } from "../context/route.ts";
import type { Failure } from "../data/client.ts";
import { ErrorPanel } from "../ui/states.tsx";

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

/** Whether all rows were read, and none is of the object. */
function useIsUnknown(object: ObjectKey): boolean {
  const { fleet } = useConsole();
  const { rows, total } = fleet.data.value;
  const isRead = fleet.state.value === "live" || fleet.state.value === "polling";
  return isRead && rows.size >= total && !rows.has(keyOf(object));
}
