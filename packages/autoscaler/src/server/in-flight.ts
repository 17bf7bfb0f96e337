// Limits the requests in flight.
import { requestLimits, tooManyRequests } from "@plimsoll/kube/serving";
import type { Response } from "express";
import type { Callers } from "./callers.ts";

const { inFlight: maxInFlight, inFlightOfOneUser: maxOfOneUser } = requestLimits;

/**
 * Counts the requests of known callers until their access is refused or their response has been read. A stream counts
 * as long as it is open. Who has no identity takes no place: anyone could take all of them.
 */
export function limitInFlight(callers: Callers): Callers {
  const inFlight = new Map<Response, string>();
  return {
    async of(request) {
      const caller = await callers.of(request);
      const { res: response } = request;
      // A stream checks its caller again; if the response has ended, nothing would free the place.
      if (response === undefined || response.destroyed || inFlight.has(response)) return caller;
      const { name } = caller;
      const own = name === "" ? 0 : [...inFlight.values()].filter((user) => user === name).length;
      if (inFlight.size >= maxInFlight || own >= maxOfOneUser)
        return { ...caller, check: (required) => Promise.resolve(required.map(() => tooManyRequests)) };
      inFlight.set(response, name);
      response.once("close", () => inFlight.delete(response));
      return {
        ...caller,
        async check(required) {
          const failures = await caller.check(required);
          if (failures.every((failure) => failure !== undefined)) inFlight.delete(response);
          return failures;
        },
      };
    },
  };
}
