// A heap of timers by time, for the manual clock.

/** What waits for its time. */
export interface Timer {
  readonly atMs: number;
  /** Decides between timers of one instant. */
  readonly order: number;
  readonly run: () => void;
  isCanceled: boolean;
}

/** Timers by their times, in a binary heap: tests with tens of thousands of them spend their time elsewhere. */
export interface TimerHeap {
  readonly size: number;
  add(timer: Timer): void;
  cancel(timer: Timer): void;
  /** Takes the first timer out when its time is not after that instant. */
  takeDue(untilMs: number): Timer | undefined;
}

const maxCanceled = 100;

export function createTimerHeap(): TimerHeap {
  let heap: Timer[] = [];
  let canceled = 0;

  function add(timer: Timer): void {
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!swapIfEarlier(heap, at, above)) return;
      at = above;
    }
  }

  function removeFirst(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    let at = 0;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const next = right < heap.length && isEarlier(heap[right], heap[left]) ? right : left;
      if (next >= heap.length || !swapIfEarlier(heap, next, at)) return;
      at = next;
    }
  }

  function cancel(timer: Timer): void {
    if (timer.isCanceled) return;
    timer.isCanceled = true;
    canceled += 1;
    if (canceled < maxCanceled || canceled < heap.length / 2) return;
    const kept = heap.filter((one) => !one.isCanceled);
    heap = [];
    canceled = 0;
    for (const one of kept) add(one);
  }

  function takeDue(untilMs: number): Timer | undefined {
    for (;;) {
      const [first] = heap;
      if (first === undefined || (first.atMs > untilMs && !first.isCanceled)) return undefined;
      removeFirst();
      if (!first.isCanceled) {
        // It can't be canceled any more.
        first.isCanceled = true;
        return first;
      }
      canceled -= 1;
    }
  }

  return {
    get size() {
      return heap.length - canceled;
    },
    add,
    cancel,
    takeDue,
  };
}

function isEarlier(one: Timer | undefined, other: Timer | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

function swapIfEarlier(heap: Timer[], at: number, above: number): boolean {
  const [one, other] = [heap[at], heap[above]];
  if (one === undefined || other === undefined || !isEarlier(one, other)) return false;
  heap[at] = other;
  heap[above] = one;
  return true;
}
