/** Where a program records what it does. Messages are constant strings; data goes into fields. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Whether lines of a level are written, for those who would make fields for nothing; absent: they may be. */
  isLevelEnabled?(level: "debug"): boolean;
}
