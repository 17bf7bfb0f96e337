// The rule about another client that writes what the autoscaler manages.
import { isLasting, type OtherWriter, otherWriterText } from "@plimsoll/core";
import { shellWord } from "@plimsoll/core/internal/values";
import { type Autoscaler, keyOf, ownCondition, shortKind } from "../evidence/autoscaler.ts";
import { eventMessage, eventsAbout, eventTimeMs } from "../evidence/events.ts";
import { writersOf } from "../evidence/meta.ts";
import { checkPart, type Found, item, type ObjectContext, type Outcome, objectRule } from "../rule.ts";
import { printClock } from "../text/time.ts";

const reason = "ForeignWriter";

/** The event is written once, when the other controller is found; what became of that is unknown later. */
const newEventMs = 300_000;

function otherWriter(context: ObjectContext): readonly Outcome[] {
  const { object, readings, nowMs } = context;
  const { otherWriter: reading } = readings;
  if (!reading.ok) return byConditions(object) ?? byEvents(context);
  const other = reading.value;
  if (other === undefined || !isLasting(other)) return [];
  const text = otherWriterText(other, nowMs).slice(other.by.length + 1);
  return [foundOf(object, other, [other.by, text, `the autoscaler's decisions about ${keyOf(object)}`])];
}

/** What is written, and by whom, as far as the texts say it. */
type Writer = Pick<OtherWriter, "by" | "writes">;

function foundOf(
  object: Autoscaler,
  { by, writes }: Writer,
  evidence: readonly [string, string, string],
): Found {
  return {
    title:
      writes === "status" ? "another controller writes the status" : "another client sets the replicas back",
    evidence: [item(...evidence)],
    fix: writes === "status" ? statusFix(object) : replicasFix(by),
  };
}

function byConditions(object: Autoscaler): readonly Outcome[] | undefined {
  const where = `${object.kind} ${keyOf(object)} .status.conditions`;
  const active = ownCondition(object, "Active");
  if (active?.status === "False" && active.reason === reason)
    return [foundOf(object, { by: active.message, writes: "status" }, ["Active", active.message, where])];
  const able = ownCondition(object, "AbleToScale");
  if (able !== undefined && /changed the replicas back (?:once|\d+ times) since /.test(able.message))
    return [foundOf(object, { by: able.message, writes: "replicas" }, ["AbleToScale", able.message, where])];
  return undefined;
}

/** A WorkloadAutoscaler has the condition. */
function byEvents({ object, readings, nowMs }: ObjectContext): readonly Outcome[] {
  if (object.kind === "WorkloadAutoscaler") return [];
  return checkPart(readings.events, (events) => {
    const last = eventsAbout(events, object).findLast((event) => event["reason"] === reason);
    const atMs = last && eventTimeMs(last);
    if (last === undefined || atMs === undefined || nowMs - atMs > newEventMs) return [];
    const message = eventMessage(last);
    if (isOursAgain(object, message)) return [];
    const evidence = [`${reason} at ${printClock(atMs)}`, message, `events of ${keyOf(object)}`] as const;
    return [foundOf(object, { by: message, writes: "status" }, evidence)];
  });
}

const ownManager = "plimsoll-autoscaler";

/** The autoscaler has written the status since. Another installation writes it by the same name. */
function isOursAgain({ raw }: Autoscaler, message: string): boolean {
  const [newest] = writersOf(raw, ["status"]).toSorted((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0));
  return newest?.manager === ownManager && !message.startsWith(`another ${ownManager}`);
}

/** By the field manager, or a text that has it. */
function replicasFix(by: string): string {
  if (/argocd/i.test(by))
    return "in the Argo CD Application, ignore /spec/replicas (ignoreDifferences) and set the sync option RespectIgnoreDifferences=true: the replicas stay as they are";
  if (/helm/i.test(by))
    return "remove replicas from the chart's template; that upgrade sets 1 replica once, unless the template renders the live count with lookup";
  if (/kubectl/i.test(by))
    return "stop scaling the target by hand, and remove spec.replicas from your manifest; first remove it with kubectl apply edit-last-applied, or the target drops to 1";
  return "remove spec.replicas from that client's manifest, or stop the client";
}

function statusFix(object: Autoscaler): string {
  const { name, namespace } = object;
  const inNamespace = namespace === "" ? "" : ` -n ${shellWord(namespace)}`;
  const command = `kubectl annotate ${shortKind(object)} ${shellWord(name)}${inNamespace} autoscaling.plimsoll.dev/reclaim="$(date +%s)" --overwrite`;
  return `stop that controller for this object; the autoscaler takes over after three quiet periods, or at once with ${command}`;
}

export const otherWriterRule = objectRule({
  id: "PL-005",
  severity: "error",
  title: "another client writes fields that the autoscaler manages",
  condition:
    "Another client keeps changing the target's replicas back, or another controller writes the object's status.",
  fix: "for replicas, keep that client from applying spec.replicas; for the status, stop the other controller",
  isFromRecords: true,
  needs: [],
  uses: ["otherWriter", "events"],
  check: otherWriter,
});
