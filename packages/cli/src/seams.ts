// What commands get from the process: streams, files, clock, cluster; injected by tests.
import { type Clock, systemClock } from "@plimsoll/component-base";
import type { Connection, ConnectOptions } from "@plimsoll/kube";

/** What a process has and a test can give. */
export interface CliSeams {
  /** Behind the program's name. */
  readonly args: readonly string[];
  readonly name: string;
  readonly version: string;
  /** Such as "node 24.11.0 linux x64"; absent: not known. */
  readonly runtime?: string;
  /** "-" is the standard input. */
  readonly readText: (path: string) => Promise<string>;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  /** What shows the standard output; absent: a file, in UTF-8. */
  readonly terminal?: Terminal;
  /** Absent: nothing is set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Opens the cluster of a kubeconfig; absent: `openConnection`. */
  readonly connect?: (options: ConnectOptions) => Promise<Connection>;
  /** Shows a question and reads a line of the keyboard; absent: there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** Opens an address in a browser; absent: that of the desktop. */
  readonly openBrowser?: (url: string) => void;
  /** The folder with the page of the console; absent: the one of this program. */
  readonly findPage?: () => Promise<string>;
  /** For waiting; absent: that of the system. */
  readonly clock?: Clock;
}

/** The clock for waiting; its time is that of the command. */
export function clockOf({ clock, nowMs }: Pick<CliSeams, "clock" | "nowMs">): Clock {
  return clock ?? { ...systemClock, nowMs };
}

/** What shows the output. */
export interface Terminal {
  readonly isTty: boolean;
  /** Whether the error output is shown by one, too; absent: as the standard output. */
  readonly isErrorTty?: boolean;
  /** Undefined: no line is too long. */
  readonly columns: number | undefined;
  /** Lines; absent: not known. */
  readonly rows?: number | undefined;
  /** Whether it shows more than ASCII. */
  readonly isUtf8: boolean;
}

/**
 * 0: done. 1: the command could not do its work, or not with all of its objects. 2: it did, and found something.
 * 130: interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 130;

/** Something that the command needs and does not have; it is printed in one line, without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
}
