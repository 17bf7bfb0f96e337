/** A document that was not split. */
export class JsonItemsError extends Error {
  /** Whether the document is too large, rather than broken. */
  readonly isTooLarge: boolean;

  constructor(message: string, isTooLarge = false) {
    super(message);
    this.name = "JsonItemsError";
    this.isTooLarge = isTooLarge;
  }
}
