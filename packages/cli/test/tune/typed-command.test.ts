// The command that gives a result again: as a shell reads it, and without credentials.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { typedCommand } from "../../src/commands/tune/flags.ts";

test("a shell reads the words that were typed", () => {
  const words = ["tune", "--query", 'orders=sum(rate(orders_total{queue="it\'s"}[1m]))', "a b", "", "$(id)"];
  const shown = typedCommand({ name: "printf %s\\\\n", args: words }, []).replace(
    /^printf %s\\\\n/,
    "printf '%s\\n'",
  );
  expect(execFileSync("/bin/sh", ["-c", shown], { encoding: "utf8" })).toBe(`${words.join("\n")}\n`);
});

test("credentials are not in it", () => {
  const args = [
    "tune",
    "hpa/shop",
    "--prometheus-url",
    "https://user:pass-word@prometheus",
    "--prometheus-header",
    "X-Key=first-secret",
    "--prometheus-header=X-Other=second-secret",
  ];
  const shown = typedCommand({ name: "plimsoll", args }, ["--until", "2026-11-22T00:00:00.000Z"]);
  expect(shown).not.toMatch(/pass-word|first-secret|second-secret/);
  expect(shown).toContain("--prometheus-header 'X-Key=***' '--prometheus-header=X-Other=***'");
  expect(shown).toMatch(/ --until 2026-11-22T00:00:00\.000Z$/);
});
