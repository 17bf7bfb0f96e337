// How decisions in shadow compare with those of the controller that manages the objects.
import { paths, type ShadowItem, type ShadowSummary } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { objectRoute } from "../context/route.ts";
import { absent, useLoader } from "../data/load.ts";
import { defaultPeriodMs } from "../data/server.ts";
import { Pending } from "../ui/failure.tsx";
import { percent } from "../ui/percent.ts";
import { column, SortedTable, type TableColumn, tableControl } from "../ui/sorted-table.tsx";
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
  column(["object", "Object", "The autoscaler that is compared"], nameOf, {
    // Only objects of the built-in controller are compared.
    cell: (item) => (
      <Link to={objectRoute({ ...item, resource: "horizontalpodautoscalers" })}>{nameOf(item)}</Link>
    ),
  }),
  column(
    ["agreement", "Agreement", "Share of compared decisions with the same replicas"],
    (item) => item.agreement,
    { isNumber: true, text: ({ agreement }) => percent(agreement) },
  ),
  column(["compared", "Compared", "Decisions that could be compared"], comparedOf, {
    isNumber: true,
    text: (item) => countText(comparedOf(item)),
  }),
  column(["differed", "Different", "Compared decisions with other replicas"], ({ differed }) => differed, {
    isNumber: true,
  }),
  column(["now", "Now", "Whether the newest decisions agree"], ({ isApart }) =>
    isApart ? "differs" : "agrees",
  ),
  column(["step", "First step", "First step of the newest difference"], ofLast("step")),
  column(["ours", "Ours", "What we decided in that step"], ofLast("ours")),
  column(["theirs", "Theirs", "What the managing controller decided in that step"], ofLast("theirs")),
  column(["at", "At", "Time of the newest difference, in UTC"], ({ lastDifference }) =>
    lastDifference === undefined ? "—" : clockText(lastDifference.at),
  ),
];

function nameOf({ namespace, name }: ShadowItem): string {
  return `${namespace}/${name}`;
}

function comparedOf({ agreed, differed }: Pick<ShadowItem, "agreed" | "differed">): number {
  return agreed + differed;
}

function ofLast(field: "step" | "ours" | "theirs"): (item: ShadowItem) => string {
  return ({ lastDifference }) => lastDifference?.[field] ?? "—";
}

interface ComparedProps {
  readonly summary: ShadowSummary;
  readonly namespace: string | undefined;
}

function Compared({ summary, namespace }: ComparedProps) {
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
        keyOf={nameOf}
        {...tableControl(router, "by")}
        columns={columns}
      />
    </>
  );
}

function Figures({ total }: Pick<ShadowSummary, "total">) {
  const figures = [
    ["agreement", percent(total.agreement)],
    ["compared", countText(comparedOf(total))],
    ["differed", countText(total.differed)],
    ["differ now", `${total.apart} of ${countText(total.objects)}`],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
