export type Lane = "priority" | "normal";

export interface Lanes {
  readonly inFlight: Readonly<Record<Lane, number>>;
  /** Undefined when the lane is full; else the function that leaves it, which may be called once. */
  enter(lane: Lane): (() => void) | undefined;
}

/**
 * Two lanes, so that no amount of metric requests keeps discovery and health waiting: kube-apiserver takes
 * the whole API away when discovery does not answer.
 */
export function createLanes(limits: Readonly<Record<Lane, number>>): Lanes {
  const inFlight = { priority: 0, normal: 0 };
  return {
    inFlight,
    enter: (lane) => {
      if (inFlight[lane] >= limits[lane]) {
        return undefined;
      }
      inFlight[lane]++;
      return () => {
        inFlight[lane]--;
      };
    },
  };
}
