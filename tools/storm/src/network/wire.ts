// What the clients of one network share.
import type { SimulatedProcess } from "../process/simulated-process.ts";
import type { Random } from "../random/random.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import type { ItemFault, ListedItem, RequestFault, WatchFault } from "./faults.ts";
import type { ServerRequest } from "./server.ts";

/** A response as its caller got it. */
export interface Received {
  readonly process: SimulatedProcess;
  readonly request: ServerRequest;
  readonly code: number;
  /** Undefined for a stream, whose texts come later. */
  readonly body: string | undefined;
}

/** What a network is made from. */
export interface NetworkOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  /** Called for each request when it leaves its process. */
  readonly onSent?: (
    process: SimulatedProcess,
    request: ServerRequest,
    fault: RequestFault | undefined,
  ) => void;
  /** Called for each response right before its caller continues. */
  readonly onReceived?: (received: Received) => void;
  /** Called for each text of a stream right before its reader continues. */
  readonly onWatched?: (process: SimulatedProcess, request: ServerRequest, text: string) => void;
  /** A server threw or rejected, which is a bug of the simulation. */
  readonly onServerError: (error: unknown, request: ServerRequest) => void;
}

/** The options, and the faults that are in place. */
export interface Wire extends NetworkOptions {
  readonly fateOf: (request: ServerRequest, random: Random) => RequestFault | undefined;
  readonly fateOfWatch: (request: ServerRequest, random: Random) => WatchFault | undefined;
  /** What happens to the items of lists; undefined while nothing does. */
  readonly fatesOfItems: () =>
    | ((request: ServerRequest, item: ListedItem) => ItemFault | undefined)
    | undefined;
  /** The random numbers of the next request of a process. */
  readonly nextRandom: (process: SimulatedProcess) => Random;
  /** Called whenever the faults change. */
  readonly watches: Set<() => void>;
}
