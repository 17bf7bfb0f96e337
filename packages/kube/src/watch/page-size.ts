// How many objects a page of a list has: as many as fit into a budget of bytes.

/** Pages of this many bytes are no burden for a server, nor is what is read for nothing when a page has more. */
export const defaultPageBytes = 16 * 1024 * 1024;
/** However long a server was away, the first list afterwards takes no more than a few pages more. */
const minAfterTimeout = 50;
/** In a list with pages that were too large, the next pages may grow after this many small ones in a row. */
const smallInARow = 8;

/** The size of the pages of one resource, from list to list. */
export interface PageSize {
  /** Objects in the next page. */
  readonly limit: number;
  /** The budget of a page; one of a single object may have more. */
  readonly maxBytes: number;
  /** A page had more bytes than the budget, after this many objects. */
  tooLarge(objects: number): void;
  /** A page came. */
  passed(page: { readonly objects: number; readonly bytes: number }): void;
  /** A page did not come in time: maybe because it is large, maybe because the server is away. */
  timedOut(): void;
  /** A list is complete: the next one begins with the smallest page that this one needed. */
  ended(): void;
}

/** `max`: objects in a page, however small they are. */
export function createPageSize(max: number, maxBytes = defaultPageBytes): PageSize {
  let limit = max;
  /** The least that a page of this list left for the next one. */
  let least = max;
  /** Half of what was too large in this list or the last; a list without such a page doubles it, and so do small pages. */
  let ceiling = max;
  let small = 0;
  let wasTooLarge = false;

  function shrink(to: number): void {
    ceiling = Math.max(1, Math.min(ceiling, Math.floor(limit / 2)));
    limit = Math.max(1, Math.min(to, ceiling));
    wasTooLarge = true;
    small = 0;
  }

  return {
    get limit() {
      return limit;
    },
    maxBytes,
    // A quarter less than fits: a server that ignores the limit shows that before the bytes are used up.
    tooLarge: (objects) => shrink(Math.floor((objects * 3) / 4)),
    timedOut() {
      limit = Math.max(Math.floor(limit / 2), Math.min(limit, minAfterTimeout));
    },
    passed({ objects, bytes }) {
      // The last page says nothing of larger ones.
      if (objects < limit) return;
      const isSmall = bytes <= maxBytes / 4;
      small = isSmall && limit === ceiling ? small + 1 : 0;
      if (small === smallInARow) {
        ceiling = Math.min(max, 2 * ceiling);
        small = 0;
      }
      if (isSmall) limit = Math.min(2 * limit, ceiling);
      least = Math.min(least, limit);
    },
    ended() {
      if (!wasTooLarge) ceiling = Math.min(max, 2 * ceiling);
      limit = Math.min(limit, least);
      least = max;
      wasTooLarge = false;
    },
  };
}
