// The queue of a workload as a fluid: exact between events, because the load is a straight line there.

/** A stretch in which the queue behaves in one way. It is overwritten from stretch to stretch. */
export interface QueuePiece {
  seconds: number;
  /** Requests per second at its ends. */
  loadFrom: number;
  loadTo: number;
  served: number;
  lost: number;
  backlogFrom: number;
  backlogTo: number;
  /** ∫ backlog. */
  backlogArea: number;
  /** Nothing waits, and what arrives is served. */
  isFree: boolean;
}

/** What waits at an instant. */
export interface Queue {
  backlog: number;
}

/** What holds for a whole stretch of the load. */
export interface QueueInput {
  /** Length in seconds, load at its beginning, and how much more in each second. */
  seconds: number;
  load: number;
  slope: number;
  /** Requests per second that are served at most. */
  capacity: number;
  /** What waits beyond is lost. */
  limit: number;
}

/** Moves the queue to the end of a stretch; `each` is called for every piece of it, in order. */
export function advanceQueue(queue: Queue, input: QueueInput, piece: QueuePiece, each: () => void): void {
  const { slope, capacity, limit } = input;
  let left = input.seconds;
  let load = input.load;
  loseExcess(queue, limit, load, { piece, each });
  while (left > 0) {
    piece.backlogFrom = queue.backlog;
    piece.loadFrom = load;
    const excess = load - capacity;
    const grows = excess > 0 || (excess === 0 && slope > 0);
    if (queue.backlog === 0 && !grows) free(piece, left, input, excess);
    else if (queue.backlog >= limit && (grows || (excess === 0 && slope === 0)))
      full(piece, left, input, excess);
    else queued(piece, left, { input, excess, backlog: queue.backlog });
    load = piece.loadTo;
    queue.backlog = piece.backlogTo;
    left = piece.seconds >= left ? 0 : left - piece.seconds;
    each();
  }
}

/** Fewer pods may have room for less. */
function loseExcess(
  queue: Queue,
  limit: number,
  load: number,
  { piece, each }: { readonly piece: QueuePiece; readonly each: () => void },
): void {
  if (queue.backlog <= limit) return;
  piece.seconds = 0;
  piece.loadFrom = load;
  piece.loadTo = load;
  piece.served = 0;
  piece.lost = queue.backlog - limit;
  piece.backlogFrom = queue.backlog;
  piece.backlogTo = limit;
  piece.backlogArea = 0;
  piece.isFree = false;
  queue.backlog = limit;
  each();
}

/** Until the load reaches the capacity. */
function free(piece: QueuePiece, left: number, { slope, capacity }: QueueInput, excess: number): void {
  const crossing = slope > 0 ? -excess / slope : Infinity;
  piece.seconds = Math.min(left, crossing);
  piece.loadTo = crossing <= left ? capacity : piece.loadFrom + slope * left;
  piece.served = meanLoad(piece) * piece.seconds;
  piece.lost = 0;
  piece.backlogTo = 0;
  piece.backlogArea = 0;
  piece.isFree = true;
}

/** There is no room: until the load falls below the capacity. */
function full(piece: QueuePiece, left: number, { slope, capacity }: QueueInput, excess: number): void {
  const crossing = slope < 0 ? -excess / slope : Infinity;
  piece.seconds = Math.min(left, crossing);
  piece.loadTo = crossing <= left ? capacity : piece.loadFrom + slope * left;
  piece.served = capacity * piece.seconds;
  piece.lost = Math.max(0, meanLoad(piece) - capacity) * piece.seconds;
  piece.backlogTo = piece.backlogFrom;
  piece.backlogArea = piece.backlogFrom * piece.seconds;
  piece.isFree = false;
}

/** Until the backlog is served, or there is no more room. */
function queued(
  piece: QueuePiece,
  left: number,
  at: { readonly input: QueueInput; readonly excess: number; readonly backlog: number },
): void {
  const { input, excess, backlog } = at;
  const { slope, capacity, limit } = input;
  const empty = firstRoot(slope / 2, excess, backlog);
  const filled = limit === Infinity ? Infinity : firstRoot(slope / 2, excess, backlog - limit);
  // Where the load falls below the capacity, the backlog is at its highest.
  const crossing = slope < 0 && excess > 0 ? -excess / slope : Infinity;
  const seconds = Math.min(left, empty, filled, crossing);
  piece.seconds = seconds;
  piece.loadTo = seconds === crossing ? capacity : piece.loadFrom + slope * seconds;
  piece.backlogTo = backlog + (excess + (slope / 2) * seconds) * seconds;
  if (seconds === filled) piece.backlogTo = limit;
  if (seconds === empty || piece.backlogTo < 0) {
    piece.backlogTo = 0;
    // It became empty because less arrives than is served, whatever rounding says.
    piece.loadTo = Math.min(piece.loadTo, capacity);
  }
  piece.served = meanLoad(piece) * seconds + backlog - piece.backlogTo;
  piece.lost = 0;
  piece.backlogArea = (backlog + (excess / 2 + (slope / 6) * seconds) * seconds) * seconds;
  piece.isFree = false;
}

function meanLoad({ loadFrom, loadTo }: QueuePiece): number {
  return (loadFrom + loadTo) / 2;
}

/** Where a·t² + b·t + c is zero for the first time after 0; Infinity where it never is. */
export function firstRoot(a: number, b: number, c: number): number {
  if (a === 0) return b === 0 ? Infinity : positive(-c / b);
  const square = b * b - 4 * a * c;
  if (square < 0) return Infinity;
  // The sum of two numbers of one sign loses no digits.
  const q = -(b + (b < 0 ? -1 : 1) * Math.sqrt(square)) / 2;
  return Math.min(positive(q / a), q === 0 ? Infinity : positive(c / q));
}

function positive(root: number): number {
  return root > 0 ? root : Infinity;
}
