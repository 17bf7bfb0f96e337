// The errors that end the demo early.
import { constants } from "node:os";

/** Why the demo ends early. */
export class Interrupted extends Error {
  /** SIGPIPE: the output is closed. */
  readonly by: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGPIPE";

  constructor(by: Interrupted["by"]) {
    super(`interrupted by ${by}`);
    this.by = by;
  }

  /** As a shell reports it; a reader who has seen enough (`| head`) is no failure. */
  get exitCode(): number {
    return this.by === "SIGPIPE" ? 0 : 128 + constants.signals[this.by];
  }
}
