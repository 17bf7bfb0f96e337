// The page of what-if: the record of a decision, and edits that are in the address.
import { keyOf, type ObjectKey } from "@plimsoll/decisions";
import { useMemo } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { objectRoute } from "../context/route.ts";
import { defaultPeriodMs } from "../data/server.ts";
import { useRecord } from "../object/record.ts";
import { ObjectTitle } from "../object/title.tsx";
import { Pending } from "../ui/failure.tsx";
import { lazy } from "../ui/lazy.tsx";
import { Empty } from "../ui/states.tsx";
import { clockText } from "../ui/words.ts";
import { editsFrom, paramsOf } from "./edits.ts";
import { WhatIfView } from "./what-if-view.tsx";

const Missing = lazy(async () => (await import("../object/missing.tsx")).Missing);

export function WhatIfPage() {
  const { router } = useConsole();
  const { object } = router.route.value;
  return object === undefined ? null : <OfObject object={object} />;
}

function OfObject({ object }: { readonly object: ObjectKey }) {
  const { fleet, router, server } = useConsole();
  const { params } = router.route.value;
  const { at } = params;
  const { records } = server.value.parts;
  const record = useRecord(object, at);
  const { value, failure } = record.state.value;
  const edits = useMemo(() => editsFrom(params), [params]);
  const isUnknown = fleet.state.value !== "reading" && !fleet.data.value.rows.has(keyOf(object));
  return (
    <>
      <ObjectTitle object={object} newest={undefined} page="What if">
        {value === undefined ? null : (
          <Link to={objectRoute(object, "trace", { at: at ?? new Date(value.input.nowMs).toISOString() })}>
            from {clockText(value.input.nowMs)}
          </Link>
        )}
      </ObjectTitle>
      {failure?.status === 404 && isUnknown ? (
        <Missing object={object} failure={failure} />
      ) : failure?.status === 404 ? (
        <Empty title={records.ok ? failure.message : records.reason}>
          <p class="muted">
            What-if needs the inputs of the decision. Set --decision-inputs=newest on the autoscaler to keep
            those of the newest one. The trace is there without them.
          </p>
          <Link class="button" to={objectRoute(object, "trace", at === undefined ? {} : { at })}>
            Trace
          </Link>
        </Empty>
      ) : (
        <Pending of={record} what="The record" lines={8} />
      )}
      {value === undefined ? null : (
        <WhatIfView
          record={value}
          object={object}
          edits={edits}
          onEdits={(next) => router.set(paramsOf(next, edits))}
          periodMs={server.value.periodMs ?? defaultPeriodMs}
        />
      )}
    </>
  );
}
