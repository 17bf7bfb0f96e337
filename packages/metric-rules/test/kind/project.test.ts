import { expect, test } from "vitest";
import { compileRule } from "../../src/compile/compile-rule.ts";
import { defaultRuleLimits } from "../../src/compile/limits.ts";
import { sizes } from "../../src/kind/kind.ts";
import { projectRule } from "../../src/kind/project.ts";
import { nextStatus } from "../../src/status/next-status.ts";
import { context, externalSpec, rawRule, watchedRule } from "../rules.ts";

const long = "x".repeat(1_000_000);
const condition = {
  type: "Accepted",
  status: "True",
  reason: "Accepted",
  message: "the rule is served",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 1,
};

test("however long the strings of a status are that another client wrote, little of it is kept", () => {
  const statuses = [
    { query: long },
    { checkedAt: long },
    { sample: { value: long, at: "2026-01-01T00:00:00Z" } },
    { sample: { value: "1", at: long } },
    { conditions: [{ ...condition, message: long }] },
    { conditions: [{ ...condition, reason: long }] },
    { conditions: [{ ...condition, lastTransitionTime: long }] },
  ];
  for (const status of statuses) {
    const raw = {
      ...rawRule("r", externalSpec()),
      status: { observedGeneration: 1, conditions: [], ...status },
    };
    expect(JSON.stringify(projectRule(raw)).length).toBeLessThan(1_000);
  }
});

test("the longest status that we write is kept whole", () => {
  const namespace = "n".repeat(63);
  const label = "l".repeat(128);
  const selectors = Array.from({ length: defaultRuleLimits.maxSelectors - 1 }, (_, at) => `s${at}`).join(
    " + ",
  );
  const padding = `"${"\u{7f}".repeat(3_900)}"`;
  const query = `s{a=${padding}} + ${selectors}`;
  expect(query.length).toBeLessThanOrEqual(sizes.query);
  const rule = watchedRule("r", externalSpec(query), { namespace });
  if (!rule.read.ok) throw new Error(rule.read.problems.join());
  const decided = compileRule({ namespace, name: "r" }, rule.read.spec, {
    ...context,
    namespaceLabel: label,
  });
  if (decided.type !== "accepted") throw new Error(JSON.stringify(decided));
  const message = "m".repeat(2_000);
  const check = { isResolved: false, reason: "QueryFailed", message, atMs: 0 } as const;
  const status = nextStatus({ generation: 1, decided, check, former: undefined, nowMs: 0 });
  const raw = { ...rawRule("r", externalSpec(query)), status };
  expect(projectRule(raw).status).toEqual(status);
});
