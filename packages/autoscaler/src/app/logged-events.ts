import type { Clock, Logger } from "@plimsoll/component-base";
import { apiErrorText, createEventRecorder, type EventRecorder, type KubeClient } from "@plimsoll/kube";

/** Records events under a component's name; one that cannot be recorded is logged. */
export function createLoggedEvents(
  component: string,
  deps: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly random: () => number;
    readonly log: Logger;
  },
): EventRecorder {
  const { client, clock, random, log } = deps;
  return createEventRecorder({
    client,
    component,
    clock,
    random,
    onError: (error) => log.warn({ error: apiErrorText(error) }, "could not record an event"),
  });
}
