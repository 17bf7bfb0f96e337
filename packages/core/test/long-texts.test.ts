// What a decision quotes of an object or a server is short, however long it is there.
import { expect, test } from "vitest";
import { type DecideInput, decide } from "../src/index.ts";
import { cutMessage, cutText } from "../src/values/redact/index.ts";
import { externalAverage, externalInput, hpaOf } from "./fixtures.ts";

const long = "x".repeat(188_977);

test.each<[string, Partial<DecideInput>]>([
  ["a selector of two HPAs", { ambiguousWith: ["shop/a", "shop/b"] }],
  ["an invalid selector", {}],
  ["a scale that could not be read", { scale: { ok: false, message: long } }],
  ["pods that could not be listed", { pods: { ok: false, message: long } }],
  ["the name of a metric", { hpa: hpaOf({ metrics: [externalAverage("10", long)] }) }],
  [
    "the name of a metric that failed",
    { hpa: hpaOf({ metrics: [externalAverage("10", long)] }), samples: [{ error: long }] },
  ],
])("%s", (what, change) => {
  const selector =
    what === "an invalid selector"
      ? `app=${"-".repeat(188_977)}`
      : `app in (${long.slice(0, 63)},b)${`,app!=${"y".repeat(60)}`.repeat(2800)}`;
  const input = externalInput("35", 2, {
    scale: { ok: true, specReplicas: 2, statusReplicas: 2, selector },
    ...change,
  });
  const { decision } = decide(input);
  const { conditions } = decision.status;
  expect(conditions.length).toBeGreaterThan(0);
  for (const { message = "" } of conditions) expect(message.length).toBeLessThanOrEqual(4096);
  for (const { message } of decision.events) expect(message.length).toBeLessThanOrEqual(4096);
  expect(decision.reason.length).toBeLessThanOrEqual(4096);
  expect(decision.outcome.message?.length ?? 0).toBeLessThanOrEqual(4096);
});

test("of a selector that is ambiguous the start is shown, and the HPAs", () => {
  const selector = `app in (b${",b".repeat(90_000)})`;
  const scale = { ok: true, specReplicas: 2, statusReplicas: 2, selector } as const;
  const { decision } = decide(externalInput("35", 2, { scale, ambiguousWith: ["shop/a", "shop/b"] }));
  const [active] = decision.status.conditions.filter(({ type }) => type === "ScalingActive");
  expect(active?.reason).toBe("AmbiguousSelector");
  expect(active?.message).toMatch(/^pods by selector app in \(b,b.*…\x20are controlled by .*shop\/a shop\/b/);
  expect(active?.message?.length).toBeLessThan(1200);
});

test("a cut text ends in a sign, within its length, and is well formed", () => {
  expect(cutText("abc", 3)).toBe("abc");
  expect(cutText("abcd", 3)).toBe("ab…");
  expect(cutText("😀😀😀", 4)).toBe("😀…");
  expect(cutText("abc😀😀", 5)).toBe("abc…");
  expect([cutText(long).length, cutMessage(long).length]).toEqual([1024, 4096]);
});
