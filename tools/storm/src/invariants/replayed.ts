// Invariant: every decision replays from its record.
import { isDeepStrictEqual } from "node:util";
import { decodeRecord, encodeRecord, recordDecision, replay, withoutTrace } from "@plimsoll/core";
import type { CreateInvariant, Outcome } from "../run/world.ts";
import { type Decided, isActive, keyOfDecided } from "./decisions.ts";

/** Of the decisions, one in so many: each costs as much as it did. What scales is checked more often. */
const oneIn = 25;
const oneScaleIn = 4;

/** What is decided once more, from input and memory as they are written to a file and read again, is the same. */
export const replayed: CreateInvariant = ({ autoscalers }) => {
  let seen = 0;
  let scales = 0;
  return {
    name: "replayed",
    observe(observation) {
      if (observation.kind !== "decided") return undefined;
      seen += 1;
      const isScale = observation.result.decision.scaleTo !== undefined && isActive(observation);
      if (isScale) scales += 1;
      const isChosen = isScale ? scales % oneScaleIn === 1 : seen % oneIn === 0;
      return isChosen ? ofDecision(observation) : undefined;
    },
    end() {
      for (const [process, { decisions }] of autoscalers) {
        for (const { namespace, name, resource } of decisions.latest()) {
          for (const record of decisions.records(namespace, name, resource)) {
            const text = encodeRecord(record);
            const read = decodeRecord(text);
            if (encodeRecord({ ...read, result: withoutTrace(replay(read)) }) !== text)
              return `the record of ${process} on ${resource} ${namespace}/${name} at ${record.at} replays to another result`;
          }
        }
      }
      return true;
    },
  };
};

function ofDecision(decided: Decided): Outcome {
  const { process, input, memory, result } = decided;
  const record = recordDecision({ input, memory, result, applied: { outcome: "nothing-to-do" } });
  const again = replay(decodeRecord(encodeRecord(record)));
  return isDeepStrictEqual(plain(again), plain(result))
    ? true
    : `${process} decided on ${keyOfDecided(decided)} what its record does not give again`;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
