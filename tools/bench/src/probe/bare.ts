// A baseline: an event loop that has nothing to do. What it is late by is the machine's doing.
import { serveParent } from "@plimsoll/testbed";
import { type Delays, watchDelays } from "./delay.ts";

let end: (() => Delays) | undefined;

serveParent(() => {
  if (end === undefined) {
    end = watchDelays();
    return {};
  }
  const delays = end();
  end = undefined;
  return delays;
});
