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
import { clockText, countText } from "../ui/words.ts";

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
        Compares our decisions with those of the controller that manages each autoscaler. The two read metrics
        at different times, so equal replicas within two periods count as agreement.
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
    title: "The autoscaler that is compared",
    value: ({ namespace: of, name }) => `${of}/${name}`,
    cell: (item) => <ItemLink item={item} />,
  },
  {
    id: "agreement",
    name: "Agreement",
    title: "Share of compared decisions with the same replicas",
    isNumber: true,
    value: ({ agreement }) => agreement,
    text: ({ agreement }) => percent(agreement),
  },
  {
    id: "compared",
    name: "Compared",
    title: "Decisions that could be compared",
    isNumber: true,
    value: ({ agreed, differed }) => agreed + differed,
    text: ({ agreed, differed }) => countText(agreed + differed),
  },
  {
    id: "differed",
    name: "Different",
    title: "Compared decisions with other replicas",
    isNumber: true,
    value: ({ differed }) => differed,
  },
  {
    id: "now",
    name: "Now",
    title: "Whether the newest decisions agree",
    value: ({ isApart }) => (isApart ? "differs" : "agrees"),
  },
  {
    id: "step",
    name: "First step",
    title: "First step that differed, in the newest difference",
    value: ({ lastDifference }) => lastDifference?.step ?? "—",
  },
  {
    id: "ours",
    name: "Ours",
    title: "What we decided in that step",
    value: ({ lastDifference }) => lastDifference?.ours ?? "—",
  },
  {
    id: "theirs",
    name: "Theirs",
    title: "What the managing controller decided in that step",
    value: ({ lastDifference }) => lastDifference?.theirs ?? "—",
  },
  {
    id: "at",
    name: "At",
    title: "Time of the newest difference, in UTC",
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
    return <Empty title="Nothing compared yet: the first comparison takes two periods" />;
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
        <dt>differ now</dt>
        <dd>
          {total.apart} of {countText(total.objects)}
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
