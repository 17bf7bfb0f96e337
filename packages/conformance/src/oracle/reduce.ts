// Simplifies a failing case, as property-based testing does.
import { hasHugeExponent } from "./generate/quantity.ts";
import { type Members, withoutMembers } from "./members.ts";
import type { VectorCase } from "./vector-file.ts";

/** Smaller forms of a case, the greatest simplifications first. Not all of them are meaningful. */
export function* reductions(from: VectorCase): Generator<VectorCase> {
  yield* withoutMetrics(from);
  for (const value of smaller(from, "")) yield value as VectorCase;
}

/** Metrics and samples belong together, so they go together. */
function* withoutMetrics(from: VectorCase): Generator<VectorCase> {
  const steps = from["steps"] as readonly Members[] | undefined;
  const count = (steps?.[0]?.["samples"] as readonly unknown[] | undefined)?.length ?? 0;
  if (steps === undefined || count < 2 || steps.some((step) => step["hpa"] !== undefined)) return;
  const hpa = from["hpa"] as Members;
  const spec = hpa["spec"] as Members;
  if (!Array.isArray(spec["metrics"])) return;
  for (let gone = 0; gone < count; gone += 1) {
    yield {
      ...from,
      hpa: { ...hpa, spec: { ...spec, metrics: without(spec["metrics"], gone) } },
      steps: steps.map((step) => ({ ...step, samples: without(step["samples"], gone) })),
    };
  }
}

function without(list: unknown, gone: number): readonly unknown[] {
  return ((list ?? []) as readonly unknown[]).filter((_, at) => at !== gone);
}

function* smaller(value: unknown, member: string): Generator {
  if (Array.isArray(value)) yield* smallerList(value, member);
  else if (typeof value === "object" && value !== null) yield* smallerObject(value as Members);
  else if (typeof value === "number") yield* smallerNumber(value);
  else if (typeof value === "string") yield* smallerText(value, member);
}

function* smallerList(list: readonly unknown[], member: string): Generator<readonly unknown[]> {
  // From the end first: the tail of a trajectory is what happened after the interesting step.
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let end = list.length; end > 0; end -= size) {
      yield [...list.slice(0, Math.max(0, end - size)), ...list.slice(end)];
    }
  }
  for (const [at, item] of list.entries()) {
    for (const replaced of smaller(item, member)) yield list.with(at, replaced);
  }
}

/** What only names a thing stays as it is. */
const untouched = new Set(["name", "now", "at", "type", "metadata", "scaleTargetRef", "describedObject"]);

/** What a case of the format cannot be without; it may get smaller inside. */
const needed = new Set([
  "hpa",
  "spec",
  "steps",
  "scale",
  "samples",
  "maxReplicas",
  "replicas",
  "metric",
  "value",
]);

function* smallerObject(object: Members): Generator<Members> {
  const members = Object.keys(object).filter((member) => !untouched.has(member));
  for (const member of members.filter((member) => !needed.has(member))) {
    yield withoutMembers(object, member);
  }
  for (const member of members) {
    for (const replaced of smaller(object[member], member)) yield { ...object, [member]: replaced };
  }
}

function* smallerNumber(number: number): Generator<number> {
  const candidates = [0, 1, Math.trunc(number / 2), number - Math.sign(number)];
  yield* candidates.filter((candidate) => Math.abs(candidate) < Math.abs(number));
}

const quantityMembers = new Set(["cpu", "memory", "value", "averageValue", "input", "tolerance"]);

function* smallerText(text: string, member: string): Generator<string> {
  if (!quantityMembers.has(member)) return;
  yield* ["0", "1", "100m"].filter((plain) => plain.length < text.length);
  for (let at = 0; at < text.length && text.length > 1; at += 1) {
    const shorter = text.slice(0, at) + text.slice(at + 1);
    if (!hasHugeExponent(shorter)) yield shorter;
  }
}
