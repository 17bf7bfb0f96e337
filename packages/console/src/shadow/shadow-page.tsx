// How decisions in shadow compare with those of the controller that manages the objects.
import { paths, type ShadowItem, type ShadowSummary } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { objectRoute } from "../context/route.ts";
import { absent, useLoader } from "../data/load.ts";
import { defaultPeriodMs } from "../data/server.ts";
import { Pending } from "../ui/failure.tsx";
import { percent } from "../ui/percent.ts";
import { SortedTable, type TableColumn, tableControl } from "../ui/sorted-table.tsx";
import { Empty } from "../ui/states.tsx";
import { clockText, countText, plural } from "../ui/words.ts";

export function ShadowPage() {
  const { client, router, server, signedIn } = useConsole();
  const { shadow } = server.value.parts;
  const loaded = useLoader(
    `shadow ${shadow.ok} ${signedIn.value}`,
    (signal) =>
      shadow.ok ? client.get<ShadowSummary>(paths.shadow, { signal }) : absent<ShadowSummary>(shadow.reason),
    { everyMs: server.value.periodMs ?? defaultPeriodMs },
  );
  const { value, failure } = loaded.state.value;
  const { ns } = router.route.value.params;
  return (
    <>
      <header class="title">
        <h1 tabIndex={-1}>Shadow</h1>
      </header>
      <p class="lead">
        What was decided here beside what the controller decided that manages the object. Both look at
        different moments, so they are compared within two periods.
      </p>
      {failure === undefined || shadow.ok ? (
        <Pending of={loaded} what="The comparison" lines={6} />
      ) : (
        <Empty title={failure.message} />
      )}
      {value === undefined ? null : <Compared summary={value} namespace={ns} />}
    </>
  );
}

const columns: readonly TableColumn<ShadowItem>[] = [
  {
    id: "object",
    name: "Object",
    value: ({ namespace: of, name }) => `${of}/${name}`,
    cell: (item) => <ItemLink item={item} />,
  },
  {
    id: "agreement",
    name: "Agreement",
    isNumber: true,
    value: ({ agreement }) => agreement,
    text: ({ agreement }) => percent(agreement),
  },
  {
    id: "compared",
    name: "Compared",
    isNumber: true,
    value: ({ agreed, differed }) => agreed + differed,
    text: ({ agreed, differed }) => countText(agreed + differed),
  },
  { id: "differed", name: "Different", isNumber: true, value: ({ differed }) => differed },
  { id: "now", name: "Now", value: ({ isApart }) => (isApart ? "apart" : "agrees") },
  { id: "step", name: "First step", value: ({ lastDifference }) => lastDifference?.step ?? "—" },
  { id: "ours", name: "Ours", value: ({ lastDifference }) => lastDifference?.ours ?? "—" },
  { id: "theirs", name: "Theirs", value: ({ lastDifference }) => lastDifference?.theirs ?? "—" },
  {
    id: "at",
    name: "At",
    value: ({ lastDifference }) => (lastDifference === undefined ? "—" : clockText(lastDifference.at)),
  },
];

function Compared({
  summary,
  namespace,
}: {
  readonly summary: ShadowSummary;
  readonly namespace: string | undefined;
}) {
  const { router } = useConsole();
  const { total } = summary;
  const items = summary.items.filter((item) => namespace === undefined || item.namespace === namespace);
  if (items.length === 0 || total.agreed + total.differed === 0)
    return <Empty title="nothing compared yet, it takes two periods" />;
  return (
    <>
      <Figures total={total} />
      <SortedTable
        label="Comparison by object"
        rows={items}
        keyOf={({ namespace: of, name }) => `${of}/${name}`}
        {...tableControl(router, "by")}
        columns={columns}
      />
    </>
  );
}

function Figures({ total }: Pick<ShadowSummary, "total">) {
  return (
    <dl class="figures">
      <div>
        <dt>agreement</dt>
        <dd>{percent(total.agreement)}</dd>
      </div>
      <div>
        <dt>compared</dt>
        <dd>{countText(total.agreed + total.differed)}</dd>
      </div>
      <div>
        <dt>differed</dt>
        <dd>{countText(total.differed)}</dd>
      </div>
      <div>
        <dt>apart now</dt>
        <dd>
          {total.apart} of {plural(total.objects, "object")}
        </dd>
      </div>
    </dl>
  );
}

/** Only objects of the built-in controller are compared. */
function ItemLink({ item }: { readonly item: ShadowItem }) {
  const { namespace, name } = item;
  return (
    <Link to={objectRoute({ resource: "horizontalpodautoscalers", namespace, name })}>
      {namespace}/{name}
    </Link>
  );
}
