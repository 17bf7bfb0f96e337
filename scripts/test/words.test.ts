import { expect, test } from "vitest";
import { wordsIn } from "../house/words.ts";

test("finds words of the private language in prose and in parts of names", () => {
  const found = wordsIn(
    "a.md",
    "Nobody asks anew.\nconst isStranger = mostPasses > leastOf[1];\nThe most of it.",
  );
  expect(found.map(({ line, found: text }) => `${line} ${text}`)).toEqual([
    "1 anew",
    "1 Nobody",
    "2 Stranger",
    "2 mostPasses",
    "2 leastOf",
  ]);
});

test("lets words pass where they are right", () => {
  expect(wordsIn("a.md", "KEDA is event-driven autoscaling. A driver. Stand up. Dearth.")).toEqual([]);
});
