/**
 * Memory that large responses in flight share; when they do not fit, the largest is aborted. One that is alone may take
 * more.
 */
export interface ResponseMemory {
  /** `abort` ends the reading of this response. */
  enter(abort: () => void): ResponseShare;
}

/** What one response takes. */
export interface ResponseShare {
  /** So many bytes more have come. */
  grow(bytes: number): void;
  leave(): void;
}

/** Shorter responses do not count. */
export const smallBytes = 256 * 1024;

/** `maxBytes`: of all large responses together. */
export function createResponseMemory(maxBytes: number): ResponseMemory {
  const responses = new Map<ResponseShare, { bytes: number; readonly abort: () => void }>();
  let taken = 0;

  function drop(share: ResponseShare): void {
    taken -= responses.get(share)?.bytes ?? 0;
    responses.delete(share);
  }

  function abortLargest(): void {
    while (taken > maxBytes && responses.size > 1) {
      const [largest] = [...responses].sort(([, a], [, b]) => b.bytes - a.bytes);
      if (largest === undefined) return;
      drop(largest[0]);
      largest[1].abort();
    }
  }

  return {
    enter(abort) {
      const share: ResponseShare = {
        grow(bytes) {
          const response = responses.get(share);
          if (response === undefined) return;
          response.bytes += bytes;
          taken += bytes;
          abortLargest();
        },
        leave: () => drop(share),
      };
      responses.set(share, { bytes: 0, abort });
      return share;
    },
  };
}
