/** A line or a frame of a watch. */
export interface Piece {
  /** All of it, or the beginning of one that is too large to be kept. */
  readonly bytes: Buffer;
  /** Of all of it. */
  readonly size: number;
}

/** Objects in etcd stay below 2 MB: anything longer isn't an event, and the stream can't be trusted. */
export const maxPieceBytes = 32 * 1024 * 1024;
/** Of what is too large so much is kept: it shows the name of the object. */
export const headBytes = 4096;
/** What an event has beside its object. */
export const wrapBytes = 1024;
