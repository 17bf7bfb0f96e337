import {
  type DecideInput,
  type DecideResult,
  defaultHpa,
  formatInstant,
  type HpaBehavior,
  type HpaMemory,
  instantMs,
  type ScaleEvent,
  type ScalingPolicy,
} from "@plimsoll/core";

/** Until the longest period has passed since, policies may have been used up by a former process. */
export interface Gap {
  /** When the count was last changed by a controller. */
  readonly lastScaleMs: number;
  readonly untilMs: number;
}

export function isOpen({ untilMs }: Gap, nowMs: number): boolean {
  return nowMs <= untilMs;
}

type Decide = (input: DecideInput, memory?: HpaMemory) => DecideResult;

/**
 * Decides as if the policies of the direction that it goes in had been used up at the last scale. A former process
 * may have gone there, or in the other direction, which would leave more room: that is not known, so each direction
 * is taken at its worst. A policy is free again when its own period is over.
 */
export function decideInGap(decide: Decide, gap: Gap): Decide {
  return (input, memory) => {
    const free = decide(input, memory);
    const { scaleTo, currentReplicas } = free.decision;
    if (scaleTo === undefined) return free;
    const isUp = scaleTo > currentReplicas;
    const held = decide(input, withUsedUp(input, memory, { isUp, gap }));
    const { scaleUpEvents, scaleDownEvents } = held.memory;
    return {
      ...held,
      memory: {
        ...held.memory,
        scaleUpEvents: isUp ? withoutSupposed(scaleUpEvents, gap) : scaleUpEvents,
        scaleDownEvents: isUp ? scaleDownEvents : withoutSupposed(scaleDownEvents, gap),
      },
    };
  };
}

/** What was only supposed is not remembered. A new change may have its place already, when it was too old to count. */
function withoutSupposed(events: readonly ScaleEvent[], { lastScaleMs }: Gap): readonly ScaleEvent[] {
  return events[0]?.atMs === lastScaleMs ? events.slice(1) : events;
}

/** The memory with a change, before all others, after which no policy of the direction had anything left. */
export function withUsedUp(
  input: DecideInput,
  memory: HpaMemory | undefined,
  { isUp, gap }: { readonly isUp: boolean; readonly gap: Gap },
): HpaMemory {
  const { recommendations = [], scaleUpEvents = [], scaleDownEvents = [] } = memory ?? {};
  const current = input.scale.ok ? input.scale.specReplicas : 0;
  const { behavior } = defaultHpa(input.hpa).spec;
  const changes = policiesOf(behavior, isUp).map((policy) => (isUp ? mostUp : mostDown)(policy, current));
  // What is known to have gone the other way must not make room.
  const opposite = (isUp ? scaleDownEvents : scaleUpEvents).reduce((sum, { change }) => sum + change, 0);
  const supposed: ScaleEvent = { change: Math.max(0, ...changes) + opposite, atMs: gap.lastScaleMs };
  return {
    recommendations,
    scaleUpEvents: isUp ? [supposed, ...scaleUpEvents] : scaleUpEvents,
    scaleDownEvents: isUp ? scaleDownEvents : [supposed, ...scaleDownEvents],
  };
}

/** The object's last scale is that of the gap, if its status does not tell of it. */
export function withLastScale(input: DecideInput, { lastScaleMs }: Gap): DecideInput {
  const { hpa } = input;
  const announcedMs = instantMs(hpa.status?.lastScaleTime);
  if (announcedMs !== undefined && lastScaleMs - announcedMs <= toldMs) return input;
  return {
    ...input,
    hpa: { ...hpa, status: { ...hpa.status, lastScaleTime: formatInstant(lastScaleMs) } },
  };
}

/** A status and a note of the same write are not further apart. */
const toldMs = 2000;

/** The policies of a direction, the default ones too. */
export function policiesOf(
  behavior: HpaBehavior | null | undefined,
  isUp: boolean,
): readonly ScalingPolicy[] {
  const rules = isUp ? behavior?.scaleUp : behavior?.scaleDown;
  if (Array.isArray(rules?.policies)) return rules.policies;
  return isUp ? [...defaultUp] : [...defaultDown];
}

/** @upstream pkg/apis/autoscaling/v2/defaults.go */
const defaultUp = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
] as const;
const defaultDown = [{ type: "Percent", value: 100, periodSeconds: 15 }] as const;

/** How many at the most may have been added to come to this count. */
function mostUp({ type, value }: ScalingPolicy, count: number): number {
  return type === "Percent" ? count - Math.floor(count / (1 + value / 100)) : value;
}

/** How many may have been taken away; all that a policy allows when it allows everything. */
function mostDown({ type, value }: ScalingPolicy, count: number): number {
  if (type !== "Percent") return value;
  return value >= 100 ? 0 : Math.ceil(count / (1 - value / 100)) - count;
}
