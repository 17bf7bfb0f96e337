// Vectors of cron schedules.
import { formatInstant } from "@plimsoll/core";
import { applyCronTarget } from "@plimsoll/core/cronhpa";
import type { Fields } from "@plimsoll/core/internal/values";
import { type CronDialect, nextFiring, parseCron, zoneOffset } from "@plimsoll/core/schedules";
import { type CaseDifference, differ } from "../difference.ts";
import {
  fieldOf,
  questionOf,
  readInstant,
  readList,
  readNumber,
  readObject,
  readText,
  VectorError,
} from "../read.ts";
import type { VectorKind } from "./kind.ts";

const counts = ["minReplicas", "maxReplicas", "currentReplicas", "targetSize"];
const bounds = ["minReplicas", "maxReplicas", "scaleTo"];

/** Answer: `minReplicas`, `maxReplicas` and `scaleTo`, null when nothing is scaled. */
export const cronHpaKind: VectorKind = {
  question: (vector) => questionOf(vector, counts, ["name", "expect"]),
  answer: (question) => {
    const result = applyCronTarget({
      minReplicas: readNumber(question, "minReplicas", ""),
      maxReplicas: readNumber(question, "maxReplicas", ""),
      currentReplicas: readNumber(question, "currentReplicas", ""),
      targetSize: readNumber(question, "targetSize", ""),
    });
    return { ...result, scaleTo: result.scaleTo ?? null };
  },
  compare: (vector, given) => {
    const expect = readObject(vector["expect"], "expect", bounds);
    return bounds.flatMap((key) => {
      const actual = given[key] ?? null;
      return Object.hasOwn(expect, key) && expect[key] !== actual
        ? [differ(`expect.${key}`, expect[key], actual)]
        : [];
    });
  },
};

/** Answer: `next`, at most `count` instants, or `error`. */
export const cronNextKind: VectorKind = {
  question: (vector) => {
    const asked = questionOf(vector, ["schedule", "timeZone", "dialect", "after"], ["name", "expect"]);
    // One more than expected where nothing is, since that claims never.
    return { ...asked, count: Math.max(1, readList(expectOf(vector), "next", "expect").length) };
  },
  answer: (question) => {
    const dialect = readDialect(readText(question, "dialect", ""));
    const schedule = parseCron(readText(question, "schedule", ""), dialect);
    const offset = zoneOffset(readText(question, "timeZone", ""));
    if (schedule === undefined) return { error: "the schedule cannot be read" };
    if (offset === undefined) return { error: "the time zone is unknown" };
    const next: string[] = [];
    let after = readInstant(question, "after", "");
    while (next.length < readNumber(question, "count", "")) {
      const firing = nextFiring(schedule, after, offset);
      if (firing === undefined) break;
      next.push(formatInstant(firing));
      after = firing;
    }
    return { next };
  },
  compare: compareNext,
};

function compareNext(vector: Fields, given: Fields): readonly CaseDifference[] {
  const expect = expectOf(vector);
  const error = fieldOf(given, "error");
  const isError = fieldOf(expect, "error") === true;
  if (error !== undefined) return isError ? [] : [differ("expect.next", expect["next"], { error })];
  if (isError) return [differ("expect.error", true, given["next"])];
  const expected = readInstants(expect, "expect");
  const actual = readInstants(given, "answer");
  const isSame = expected.length === actual.length && expected.every((ms, i) => ms === actual[i]);
  return isSame ? [] : [differ("expect.next", expect["next"], given["next"])];
}

function expectOf(vector: Fields): Fields {
  return readObject(vector["expect"], "expect", ["next", "error"]);
}

function readInstants(object: Fields, path: string): readonly number[] {
  return readList(object, "next", path).map((item, i) => readInstant({ item }, "item", `${path}.next[${i}]`));
}

function readDialect(text: string): CronDialect {
  if (text !== "standard" && text !== "cronhpa")
    throw new VectorError("dialect", `unknown dialect ${JSON.stringify(text)}`);
  return text;
}
