// Checks vectors of cron schedules.
import { formatInstant } from "@plimsoll/core";
import { applyCronTarget } from "@plimsoll/core/cronhpa";
import { type CronDialect, nextFiring, parseCron, zoneOffset } from "@plimsoll/core/schedules";
import { type CaseDifference, differ } from "../difference.ts";
import { fieldOf, readInstant, readList, readNumber, readObject, readText, VectorError } from "../read.ts";

export function checkCronHpa(given: unknown): readonly CaseDifference[] {
  const vector = readObject(given, "", [
    "name",
    "minReplicas",
    "maxReplicas",
    "currentReplicas",
    "targetSize",
    "expect",
  ]);
  const expect = readObject(vector["expect"], "expect", ["minReplicas", "maxReplicas", "scaleTo"]);
  const result = applyCronTarget({
    minReplicas: readNumber(vector, "minReplicas", ""),
    maxReplicas: readNumber(vector, "maxReplicas", ""),
    currentReplicas: readNumber(vector, "currentReplicas", ""),
    targetSize: readNumber(vector, "targetSize", ""),
  });
  const actual = { ...result, scaleTo: result.scaleTo ?? null };
  return Object.entries(actual).flatMap(([key, value]) =>
    Object.hasOwn(expect, key) && expect[key] !== value ? [differ(`expect.${key}`, expect[key], value)] : [],
  );
}

export function checkCronNext(given: unknown): readonly CaseDifference[] {
  const vector = readObject(given, "", ["name", "schedule", "timeZone", "dialect", "after", "expect"]);
  const expect = readObject(vector["expect"], "expect", ["next", "error"]);
  const schedule = parseCron(readText(vector, "schedule", ""), readDialect(readText(vector, "dialect", "")));
  const offset = zoneOffset(readText(vector, "timeZone", ""));
  const isError = fieldOf(expect, "error") === true;
  if (schedule === undefined || offset === undefined)
    return isError ? [] : [differ("expect.next", expect["next"], "error")];
  const expected = readList(expect, "next", "expect").map((item, i) =>
    readInstant({ item }, "item", `expect.next[${i}]`),
  );
  let after = readInstant(vector, "after", "");
  const firings: number[] = [];
  // One more than expected where nothing is, since that claims never.
  while (firings.length < Math.max(1, expected.length)) {
    const next = nextFiring(schedule, after, offset);
    if (next === undefined) break;
    firings.push(next);
    after = next;
  }
  if (isError) return [differ("expect.error", true, firings.map(formatInstant))];
  const isSame = firings.length === expected.length && firings.every((ms, i) => ms === expected[i]);
  return isSame ? [] : [differ("expect.next", expect["next"], firings.map(formatInstant))];
}

function readDialect(text: string): CronDialect {
  if (text !== "standard" && text !== "cronhpa")
    throw new VectorError("dialect", `unknown dialect ${JSON.stringify(text)}`);
  return text;
}
